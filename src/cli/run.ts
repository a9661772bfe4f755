import { goQuote } from '../foundation/index.js';
import { backup } from './backup/backup.js';
import { restore } from './backup/restore.js';
import { completionOf } from './completion/completion.js';
import { history } from './cluster/history.js';
import { whoCan } from './cluster/who-can.js';
import { PROGRAM, versionText, type Command } from './command.js';
import { crdTypes } from './custom/crd-types.js';
import { didYouMean } from './did-you-mean.js';
import type { Host } from './host.js';
import { init } from './init/init.js';
import { open } from './open/open.js';
import { serve } from './serve/serve.js';
import { check } from './storage/check.js';
import { compact } from './storage/compact.js';
import { copy } from './storage/copy.js';
import { migrate } from './storage/migrate.js';
import { revokeOwnerToken } from './storage/revoke-owner-token.js';
import { postgresSchema } from './storage/postgres-schema.js';
import { rotateSigningKey } from './storage/rotate-signing-key.js';
import { fork } from './test-server/fork.js';
import { testServer } from './test-server/test-server.js';
import { StartError, UsageError } from './usage-error.js';

/** Every command of the program. */
export const commands: readonly Command[] = [
  serve,
  testServer,
  fork,
  open,
  backup,
  restore,
  check,
  compact,
  copy,
  migrate,
  postgresSchema,
  rotateSigningKey,
  revokeOwnerToken,
  crdTypes,
  whoCan,
  history,
  init,
  completionOf(() => commands),
];

/**
 * Runs the program.
 *
 * @param words arguments after the program name
 * @returns the exit code: 0 on success, 1 on failure, 2 for invalid usage
 */
export async function run(words: readonly string[], host: Host): Promise<number> {
  try {
    return await dispatch(words, host);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StartError)) throw error;
    host.stderr.write(`${PROGRAM}: ${error.message.replaceAll('\n', ' ')}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch([name, ...rest]: readonly string[], host: Host): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    host.stdout.write(usage());
    return 0;
  }
  if (name === '--version') {
    host.stdout.write(versionText(host));
    return 0;
  }
  if (name.startsWith('-'))
    throw new UsageError(
      `unknown flag: ${name} (the flags follow the command: ${PROGRAM} ${commands[0]?.name} ${name})`,
    );
  return name === 'help' ? help(rest, host) : commandNamed(name).run(rest, host);
}

/** `help`, `help COMMAND`: the same as `--help`, `COMMAND --help`. */
function help([name, unexpected]: readonly string[], host: Host): Promise<number> {
  if (unexpected !== undefined) throw new UsageError(`unexpected argument ${goQuote(unexpected)}`);
  return name === undefined || name.startsWith('-') || name === 'help'
    ? dispatch(['--help'], host)
    : commandNamed(name).run(['--help'], host);
}

function commandNamed(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = commands.map((known) => known.name);
  throw new UsageError(
    `unknown command ${goQuote(name)} for "${PROGRAM}"${didYouMean(name, names)}: one of ${names.join(', ')}`,
  );
}

function usage(): string {
  const lines = commands.map((command) => `  ${command.name.padEnd(18)}  ${command.summary}\n`);
  return `A resource API server.\n\nUsage:\n  ${PROGRAM} COMMAND [flags]\n\nCommands:\n${lines.join('')}\nUse "${PROGRAM} help COMMAND" for the flags of a command.\n`;
}
