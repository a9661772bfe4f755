import type { Command } from '../command.js';
import type { Flag } from '../flags/flag.js';
import { described, quoted, valueOf } from './values.js';

/** Returns the completion script of zsh. */
export function zshScript(program: string, commands: readonly Command[]): string {
  const name = `_${program}`;
  const entries = commands.map((command) => quoted(`${command.name}:${described(command.summary)}`));
  return `#compdef ${program}
# zsh completion of ${program}: source <(${program} completion zsh)
${name}() {
  local -a commands
  commands=(
${[...entries, quoted('help:Prints the flags of a command')].map((entry) => `    ${entry}\n`).join('')}  )
  if [[ $CURRENT -eq 2 || ( $CURRENT -eq 3 && $words[2] == help ) ]]; then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map((command) => commandCase(command)).join('')}  esac
}
compdef ${name} ${program}
`;
}

function commandCase({ name, flags }: Command): string {
  const operands = name === 'completion' ? quoted('1:shell:(bash zsh fish)') : quoted('*:file:_files');
  const specs = Object.entries(flags).map(([flag, definition]) => `      ${specOf(flag, definition)} \\\n`);
  return `    ${name}) _arguments \\\n${specs.join('')}      ${operands} ;;\n`;
}

/** Returns the specification of a flag, for `_arguments`. */
function specOf(name: string, flag: Flag<unknown>): string {
  const text = described(flag.help).replaceAll(/[[\]:\\]/g, (character) => `\\${character}`);
  const value = valueOf(flag);
  if (value.kind === 'none') return quoted(`*--${name}[${text}]`);
  const action =
    value.kind === 'choices'
      ? `(${value.choices.join(' ')})`
      : value.kind === 'other'
        ? ' '
        : value.kind === 'directory'
          ? '_files -/'
          : '_files';
  return quoted(`*--${name}=[${text}]:${flag.valueName.replaceAll(':', ' ')}:${action}`);
}
