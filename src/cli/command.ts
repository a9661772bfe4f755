import type { Flags, FlagValues } from './flags/flag.js';
import { flagsAsText } from './flags/help.js';
import { bool } from './flags/kinds.js';
import { valuesInConfigFile } from './config-file.js';
import { completeValues, givenFlags } from './flags/parse.js';
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
  /** Whether the flag `--config` names a file with values of the other flags. */
  readonly configurable?: true | undefined;
  readonly run: (values: FlagValues<Table>, host: Host, operands: readonly string[]) => Promise<number>;
}): Command {
  const { name, summary, flags, operands } = definition;
  return {
    name,
    summary,
    flags,
    async run(words, host) {
      const others: string[] = [];
      const given = givenFlags(flags, words, operands === undefined ? undefined : others);
      if (given.get('help') === true) {
        host.stdout.write(
          `${summary}\n\nUsage:\n  ${PROGRAM} ${name} ${operands === undefined ? '' : `${operands} `}[flags]\n\n${flagsAsText(flags)}`,
        );
        return 0;
      }
      if (given.get('version') === true) {
        host.stdout.write(versionText(host));
        return 0;
      }
      const config = definition.configurable === true ? given.get('config') : undefined;
      const configured =
        typeof config === 'string' && config !== ''
          ? await valuesInConfigFile(flags, config)
          : new Map<string, unknown>();
      return definition.run(completeValues(flags, given, configured), host, others);
    },
  };
}

/** Returns the output of `--version`. */
export function versionText(host: Host): string {
  return `${PROGRAM} ${host.version} (${host.runtime}, ${host.platform})\n`;
}
