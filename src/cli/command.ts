import { flagsAsText } from './flags/help.js';
import { bool } from './flags/kinds.js';
import type { Flags, FlagValues } from './flags/flag.js';
import { parseFlags } from './flags/parse.js';
import type { Host } from './host.js';

/** Name of the program. */
export const PROGRAM = 'orch-apiserver';

/** Flags that every command has. */
export const commonFlags = {
  help: { ...bool(false, 'Says what the command does and which flags it has.'), shorthand: 'h' },
  version: bool(false, 'Says which version of the program this is.'),
};

/** A command of the program. */
export interface Command {
  readonly name: string;
  /** What it does, in one line. */
  readonly summary: string;
  readonly flags: Flags;
  /**
   * Runs it.
   *
   * @param words what follows the command's name
   * @returns the exit code
   * @throws UsageError | StartError
   */
  run(words: readonly string[], host: Host): Promise<number>;
}

/** Makes a command of its flags and of what it does with them. */
export function defineCommand<Table extends Flags>(definition: {
  readonly name: string;
  readonly summary: string;
  readonly flags: Table & typeof commonFlags;
  readonly run: (values: FlagValues<Table>, host: Host) => Promise<number>;
}): Command {
  const { name, summary, flags } = definition;
  return {
    name,
    summary,
    flags,
    async run(words, host) {
      const values = parseFlags(flags, words);
      if (values['help'] === true) {
        host.stdout.write(`${summary}\n\nUsage:\n  ${PROGRAM} ${name} [flags]\n\nFlags:\n${flagsAsText(flags)}`);
        return 0;
      }
      if (values['version'] === true) {
        host.stdout.write(versionText(host));
        return 0;
      }
      return definition.run(values, host);
    },
  };
}

/** What `--version` prints. */
export function versionText(host: Host): string {
  return `${PROGRAM} ${host.version} (${host.runtime}, ${host.platform})\n`;
}
