import { spawn, type ChildProcess } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Clock } from '../../../foundation/index.js';
import { CredentialError } from '../../wire/credential.js';
import { systemCode, systemWords } from '../errors.js';
import type { Environment } from '../load.js';

/** A process whose output is needed. */
export interface ExecRun {
  /** The command in the configuration, for messages. */
  readonly command: string;
  /** Path of the executable. */
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** Whether it inherits the standard input of this process. */
  readonly interactive: boolean;
  /** Receives its standard error; default the standard error of this process. */
  readonly stderr: ((chunk: Uint8Array) => void) | undefined;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** A command that does not exist. */
export class CommandMissing extends CredentialError {}

/**
 * Runs a process without a shell until it exits.
 *
 * @returns its standard output
 * @throws CommandMissing when the file does not exist
 * @throws CredentialError when it cannot be started, fails, runs too long or prints too much; the message contains
 *   nothing of its output
 */
export async function runCommand(run: ExecRun): Promise<Uint8Array> {
  const { command, clock, timeoutMs, maxOutputBytes } = run;
  const unattended = !run.interactive && isUnattended();
  const child = start(run, unattended);
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const fail = (problem: CredentialError): void => {
      timer.cancel();
      reject(problem);
    };
    const stop = (problem: string): void => {
      fail(new CredentialError(`exec: executable ${command} ${problem}`));
      kill(child, unattended);
    };
    const timer = clock.after(timeoutMs, () => stop(`did not end within ${timeoutMs / 1000} s`));
    child.stdout?.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxOutputBytes) stop(`printed more than ${maxOutputBytes} bytes`);
    });
    child.stderr?.on('data', (chunk: Uint8Array) => run.stderr?.(chunk));
    child.on('error', (error) => fail(startProblem(run, error)));
    // `close` comes after `exit`, when all holders of the output have closed it.
    child.on('close', (code, signal) => {
      timer.cancel();
      if (code === 0) return resolve(Buffer.concat(chunks));
      reject(
        new CredentialError(
          `exec: executable ${command} failed with exit code ${code ?? -1}${signal === null ? '' : ` (${signal})`}`,
        ),
      );
    });
  });
}

function start(run: ExecRun, unattended: boolean): ChildProcess {
  try {
    return spawn(run.path, run.args, {
      env: { ...run.env },
      argv0: run.command,
      stdio: [run.interactive ? 'inherit' : 'ignore', 'pipe', run.stderr === undefined ? 'inherit' : 'pipe'],
      shell: false,
      windowsHide: true,
      detached: unattended,
    });
  } catch (error) {
    throw startProblem(run, error);
  }
}

/** Describes why a process did not start. The system's message could contain arguments and environment. */
function startProblem({ path }: ExecRun, error: unknown): CredentialError {
  const message = `exec: fork/exec ${path}: ${systemWords(error)}`;
  return systemCode(error) === 'ENOENT' ? new CommandMissing(message) : new CredentialError(message);
}

/**
 * Returns whether no terminal is attached. Then a plugin runs in its own process group, so that its child processes can
 * be killed with it. With a terminal the plugin stays in the terminal's group, so that the user can interrupt it and
 * enter a password.
 */
function isUnattended(): boolean {
  return process.platform !== 'win32' && ![0, 1, 2].some((descriptor) => isatty(descriptor));
}

function kill(child: ChildProcess, group: boolean): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  try {
    if (group && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has already ended.
  }
}
