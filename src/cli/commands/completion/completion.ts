import type { Command } from "commander";
import { Argument } from "commander";
import { exitCodes } from "../../exit-codes.ts";
import type { Terminal } from "../../io/terminal.ts";
import { renderBash } from "./bash.ts";
import { renderFish } from "./fish.ts";
import { type CompletedCommand, listCompletions } from "./tree.ts";
import { renderZsh } from "./zsh.ts";

const shells: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

const install = `
For now, in this shell:
  source <(wfh completion bash)             in bash or zsh, with the name of the shell
  wfh completion fish | source              in fish

For good:
  wfh completion bash > ~/.local/share/bash-completion/completions/wfh
  wfh completion zsh > ~/.zfunc/_wfh        with fpath+=~/.zfunc before compinit in ~/.zshrc
  wfh completion fish > ~/.config/fish/completions/wfh.fish

The script is made from the commands of this very version: write it again after an upgrade.
`;

/** Adds `completion`, which prints what a shell needs to complete the commands of the program it is added to. */
export function addCompletionCommand(
  program: Command,
  console: Terminal,
  ended: (exitCode: number) => void,
): void {
  program
    .command("completion")
    .description("print the script with which a shell completes these commands")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(shells)))
    .addHelpText("after", install)
    .action((shell: string) => {
      console.out(shells[shell]?.(listCompletions(program)) ?? "");
      ended(exitCodes.done);
    });
}
