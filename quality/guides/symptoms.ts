import { readText } from "@wfh/server/test/source-files.ts";

/** A symptom of docs/troubleshoot.md: its heading, and the lines of the messages that it shows. */
export interface Symptom {
  readonly heading: string;
  readonly messages: readonly string[];
}

/** All symptoms that show a message. */
export const symptoms: readonly Symptom[] = readText("docs/troubleshoot.md")
  .split(/^### /m)
  .slice(1)
  .map((section) => ({
    heading: section.slice(0, section.indexOf("\n")),
    messages: [...section.matchAll(/^```log\n([\s\S]*?)^```/gm)].flatMap(([, body = ""]) =>
      body.trimEnd().split("\n"),
    ),
  }))
  .filter(({ messages }) => messages.length > 0);

/** The lines of a symptom that a text does not have; `…` is anything within a line. */
export function missingIn(text: string, { messages }: Symptom): readonly string[] {
  return messages.filter((message) => !patternOf(message).test(text));
}

/** A pattern for a line of a message. */
function patternOf(message: string): RegExp {
  const parts = message.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(parts.join("[^\\n]*?"));
}
