import type { Flags, FlagValues } from './flags/flag.js';
import { flagsAsText } from './flags/help.js';
import { bool } from './flags/kinds.js';
import { parseFlags } from './flags/parse.js';
import type { Host } from './host.js';

/** Name of the program. */
export const PROGRAM = 'orch-apiserver';

/** Flags common to all commands. */
export const commonFlags = {
  help: { ...bool(false, 'Prints a summary of the command and its flags.'), shorthand: 'h' },
  version: bool(false, 'Prints the version of the program.'),
};

/** A command of the program. */
export interface Command {
  readonly name: string;
  /** One-line summary for the help text. */
  readonly summary: string;
  readonly flags: Flags;
  /** Runs the command.
   *
   * @param words arguments after the command name
   * @returns the exit code
   * @throws UsageError | StartError
   */
  run(words: readonly string[], host: Host): Promise<number>;
}

/** Returns a command that parses its flags, answers `--help` and `--version`, and otherwise calls `run`. */
export function defineCommand<Table extends Flags>(definition: {
  readonly name: string;
  readonly summary: string;
  /** Placeholder of the arguments besides the flags in help, such as `FILE...`. Default none are allowed. */
  readonly operands?: string | undefined;
  readonly flags: Table & typeof commonFlags;
  readonly run: (values: FlagValues<Table>, host: Host, operands: readonly string[]) => Promise<number>;
}): Command {
  const { name, summary, flags, operands } = definition;
  return {
    name,
    summary,
    flags,
    async run(words, host) {
      const given: string[] = [];
      const values = parseFlags(flags, words, operands === undefined ? undefined : given);
      if (values['help'] === true) {
        host.stdout.write(
          `${summary}\n\nUsage:\n  ${PROGRAM} ${name} ${operands === undefined ? '' : `${operands} `}[flags]\n\n${flagsAsText(flags)}`,
        );
        return 0;
      }
      if (values['version'] === true) {
        host.stdout.write(versionText(host));
        return 0;
      }
      return definition.run(values, host, given);
    },
  };
}

/** Returns the output of `--version`. */
export function versionText(host: Host): string {
  return `${PROGRAM} ${host.version} (${host.runtime}, ${host.platform})\n`;
}
