import { Argument, type Command as BaseCommand, type Option } from "commander";
import { Command, type DeclareCommand } from "../../io/command.ts";

/*
 * The scripts ask `wfh complete -- <words>` on every Tab key. It prints a word and its description
 * a line, separated by a tab, or `:files`; so the scripts know no commands and stay the same over
 * upgrades.
 */

/** From bash 3.2 on. Bash makes a word of its own of an equals sign. */
const bash = `# Completion of wfh for bash, written by: wfh completion bash
_wfh() {
  local line current=\${COMP_WORDS[COMP_CWORD]#=}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      local IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current"))
      return
    fi
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _wfh wfh web-forms-helper
`;

/** From zsh 5 on. `_describe` wants a colon before the description, and others escaped. */
const zsh = `#compdef wfh web-forms-helper
# Completion of wfh for zsh, written by: wfh completion zsh
_wfh() {
  local -a candidates
  candidates=("\${(@f)$("$words[1]" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $candidates[1] == :files ]]; then
    compset -P '--*='
    _files
  elif [[ -n $candidates[1] ]]; then
    candidates=("\${(@)candidates//:/\\\\:}")
    candidates=("\${(@)candidates/$'\\t'/:}")
    _describe command candidates
  fi
}
if [[ $funcstack[1] == _wfh ]]; then
  _wfh "$@"
else
  compdef _wfh wfh web-forms-helper
fi
`;

/** From fish 3 on. */
const fish = `# Completion of wfh for fish, written by: wfh completion fish
function __wfh_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l candidates ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
  if test "$candidates[1]" = :files
    set -l flag (string match -r '^--[^=]+=' -- "$current")
    __fish_complete_path (string replace -r '^--[^=]+=' '' -- "$current") | string replace -r '^' -- "$flag"
  else
    printf '%s\\n' $candidates
  end
end
for name in wfh web-forms-helper
  complete -c $name -f -a '(__wfh_complete)'
end
`;

/** From PowerShell 5.1 on, which may lose an empty word: `=` stands for it. */
const powershell = `# Completion of wfh for PowerShell, written by: wfh completion powershell
Register-ArgumentCompleter -Native -CommandName wfh, web-forms-helper -ScriptBlock {
  param($current, $line, $position)
  $before = $line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position }
  $words = @($before | ForEach-Object { "$_" }) + $(if ($current) { "$current" } else { '=' })
  foreach ($candidate in & "$($line.CommandElements[0])" complete '--' @words) {
    $word, $description = $candidate -split "\`t", 2
    if ($word -eq ':files') { return }
    if (-not $description) { $description = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $description)
  }
}
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish, powershell };

const help = `
Examples:
  source <(wfh completion bash)             enable completion in this shell (bash or zsh)
  wfh completion fish | source              enable completion in this shell (fish)
  wfh completion powershell | Out-String | Invoke-Expression
                                            enable completion in this shell (PowerShell)

To enable it permanently:
  wfh completion bash > ~/.local/share/bash-completion/completions/wfh
  wfh completion zsh > ~/.zfunc/_wfh        with fpath+=~/.zfunc before compinit in ~/.zshrc
  wfh completion fish > ~/.config/fish/completions/wfh.fish
  wfh completion powershell >> $PROFILE
`;

/** `wfh completion`. */
export const declareCommand: DeclareCommand = (command) =>
  command
    .addArgument(
      new Argument("<shell>", "shell to print the script for").choices(Object.keys(scripts)),
    )
    .addHelpText("after", help)
    .run(async (shell: string) => {
      command.terminal.out(scripts[shell] ?? "");
    });

/** `wfh complete`, which the scripts run on every Tab key. */
export const declareComplete: DeclareCommand = (command) =>
  command
    .argument("[words...]", "words after wfh, the last of which is being typed")
    .run(async (words: readonly string[]) => {
      const lines = await complete(command.parent ?? command, words);
      command.terminal.out(lines.map((line) => `${line}\n`).join(""));
    });

/** Lists candidates for the last word, each with a tab and its description; `:files` for a path. */
async function complete(
  program: BaseCommand,
  words: readonly string[],
): Promise<readonly string[]> {
  // Bash makes a word of its own of an equals sign.
  const current = words.at(-1)?.replace(/^=$/, "") ?? "";
  const before = words.slice(0, -1).filter((word) => word !== "=");
  let command = program;
  for (const word of before) {
    const below = visibleCommands(command).find((one) => one.name() === word);
    if (!(below instanceof Command)) continue;
    await below.load();
    command = below;
  }
  const options = command.createHelp().visibleOptions(command);
  const [, flag = before.at(-1), value = current] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  const option = options.find(({ short, long }) => flag === short || flag === long);
  if (option?.required || option?.optional) {
    const prefix = current.slice(0, current.length - value.length);
    return valuesOf(valueName(option), option.argChoices, prefix).filter(isCandidate(current));
  }
  if (current.startsWith("-")) return options.flatMap(describeFlags).filter(isCandidate(current));
  const [argument] = command.registeredArguments;
  const plain =
    argument === undefined
      ? visibleCommands(command).map((one) => `${one.name()}\t${one.description()}`)
      : valuesOf(argument.name(), argument.argChoices, "");
  return plain.filter(isCandidate(current));
}

function visibleCommands(command: BaseCommand): readonly BaseCommand[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== "help");
}

function describeFlags({ short, long, description }: Option): readonly string[] {
  return [short, long].flatMap((flag) => (flag === undefined ? [] : `${flag}\t${description}`));
}

function valueName({ flags }: Option): string {
  return /[<[]([^>\].]+)/.exec(flags)?.[1] ?? "";
}

/** Help calls the path of a file a file or a folder, which is all there is to know it by. */
function valuesOf(
  name: string,
  choices: readonly string[] | undefined,
  prefix: string,
): readonly string[] {
  if (choices !== undefined) return choices.map((choice) => prefix + choice);
  return /(?:^|[-. ])(?:file|folder|csv)\b/i.test(name) ? [":files"] : [];
}

function isCandidate(current: string): (line: string) => boolean {
  return (line) => line === ":files" || line.startsWith(current);
}
