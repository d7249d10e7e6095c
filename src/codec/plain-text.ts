/** Control characters but tab and line ends: C0, DEL and C1, of which a terminal makes commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Text that may repeat what a caller sent, for people to read: each control character becomes U+FFFD. */
export function replaceControls(text: string): string {
  return text.replace(control, "\ufffd");
}
