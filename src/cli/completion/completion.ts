import { commonFlags, defineCommand, PROGRAM, type Command } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { zshScript } from './zsh.js';

/** The flags of `completion`. */
export const completionFlags = { ...commonFlags };

/** Scripts by shell: each completes the commands of a program and their flags. */
const shells: ReadonlyMap<string, (program: string, commands: readonly Command[]) => string> = new Map([
  ['bash', bashScript],
  ['zsh', zshScript],
  ['fish', fishScript],
]);

/** Returns the command `completion`. @param commands all commands, this one included */
export const completionOf = (commands: () => readonly Command[]): Command =>
  defineCommand({
    name: 'completion',
    summary: `Prints the completion script of a shell: ${[...shells.keys()].join(', ')}.`,
    operands: 'SHELL',
    flags: completionFlags,
    run: (_values: FlagValues<typeof completionFlags>, host: Host, operands: readonly string[]) => {
      const [shell = '', ...more] = operands;
      const script = shells.get(shell);
      if (script === undefined || more.length > 0)
        throw new UsageError(`completion needs one SHELL: ${[...shells.keys()].join(', ')}`);
      host.stdout.write(script(PROGRAM, commands()));
      return Promise.resolve(0);
    },
  });
