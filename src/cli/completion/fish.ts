import type { Command } from '../command.js';
import type { Flag } from '../flags/flag.js';
import { described, valueOf } from './values.js';

/** Returns the completion script of fish. */
export function fishScript(program: string, commands: readonly Command[]): string {
  const complete = `complete -c ${program}`;
  const first = `${complete} -f -n __fish_use_subcommand`;
  const lines = [
    `# fish completion of ${program}: ${program} completion fish | source`,
    ...commands.map(({ name, summary }) => `${first} -a ${name} -d ${quoted(described(summary))}`),
    `${first} -a help -d 'Prints the flags of a command'`,
    `${complete} -f -n '__fish_seen_subcommand_from help' -a ${quoted(commands.map(({ name }) => name).join(' '))}`,
    `${complete} -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'`,
    ...commands.flatMap(({ name, flags }) =>
      Object.entries(flags).map(
        ([flag, definition]) => `${complete} -n '__fish_seen_subcommand_from ${name}' ${optionOf(flag, definition)}`,
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function optionOf(name: string, flag: Flag<unknown>): string {
  const short = flag.shorthand === undefined || flag.shorthand === name ? '' : `-s ${flag.shorthand} `;
  return `${short}${name.length === 1 ? '-s' : '-l'} ${name}${valuesOf(flag)} -d ${quoted(described(flag.help))}`;
}

function valuesOf(flag: Flag<unknown>): string {
  const value = valueOf(flag);
  if (value.kind === 'choices') return ` -x -a ${quoted(value.choices.join(' '))}`;
  if (value.kind === 'directory') return ` -x -a '(__fish_complete_directories)'`;
  return value.kind === 'file' ? ' -r -F' : value.kind === 'other' ? ' -x' : '';
}

/** Quotes a text for fish, which knows backslashes within single quotes. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
