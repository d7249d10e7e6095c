type TextStyle = "bold" | "green" | "yellow" | "red";

/** Terminal that may give texts a look. */
export interface Styling {
  /** Gives a text a look where the stream is a terminal that has it; without this none has any. */
  style?(style: TextStyle, text: string, stream: "out" | "err"): string;
}

/** A text with a look, for a terminal that has it. */
export function styled(
  terminal: Styling,
  style: TextStyle,
  text: string,
  stream: "out" | "err" = "out",
): string {
  return terminal.style?.(style, text, stream) ?? text;
}
