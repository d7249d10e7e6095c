import { Argument } from "commander";
import type { DeclareCommand } from "../../command.ts";

/*
 * The scripts ask `wfh complete -- <words>` on every Tab key. It prints a word and its description a line, separated by
 * a tab, or `:files`; so the scripts know no commands and stay the same over upgrades.
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

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

const help = `
Examples:
  source <(wfh completion bash)             for this shell; the same with zsh
  wfh completion fish | source              for this shell, in fish

For every new shell:
  wfh completion bash > ~/.local/share/bash-completion/completions/wfh
  wfh completion zsh > ~/.zfunc/_wfh        with fpath+=~/.zfunc before compinit in ~/.zshrc
  wfh completion fish > ~/.config/fish/completions/wfh.fish
`;

/** `wfh completion`. */
export const declareCommand: DeclareCommand = (command, { terminal }) => {
  command
    .addArgument(new Argument("<shell>", "shell to complete in").choices(Object.keys(scripts)))
    .addHelpText("after", help)
    .action((shell: string) => terminal.out(scripts[shell] ?? ""));
};
