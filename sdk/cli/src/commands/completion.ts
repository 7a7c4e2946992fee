import type { Command } from "commander";

const SCRIPTS: Record<string, string> = {
  bash: `_tieout() {
  mapfile -t COMPREPLY < <(compgen -W "$(tieout __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _tieout tieout`,
  zsh: `#compdef tieout
_tieout() {
  local -a offered
  offered=(\${(f)"$(tieout __complete -- "\${(@)words[2,CURRENT-1]}")"})
  compadd -a offered || _files
}
# A file in fpath is run by the first completion, and has to complete.
if [[ $funcstack[1] == _tieout ]]; then _tieout "$@"; else compdef _tieout tieout; fi`,
  fish: `complete -c tieout -a '(tieout __complete -- (commandline -opc)[2..])'`,
};
export const SHELLS = Object.keys(SCRIPTS);

export function printCompletion(shell: string): void {
  console.log(SCRIPTS[shell]);
}

/** The commands and options that can follow these words. */
export function completions(program: Command, words: readonly string[]): string[] {
  let command = program;
  for (const word of words)
    command = command.commands.find((candidate) => candidate.name() === word) ?? command;
  const options = command.options.map(({ long }) => long ?? "");
  const commands = command.commands.map((item) => item.name()).filter((name) => name[0] !== "_");
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [...commands, ...choices, ...options, ...program.options.map(({ long }) => long ?? "")];
}
