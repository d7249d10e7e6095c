import { Option } from "commander";

/**
 * An option whose value is one of some words: help and completion show them. What is typed is checked by the command,
 * whose message names the fix.
 */
export function choiceOption(flags: string, description: string, words: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...words];
  return option;
}
