import { spawn, type ChildProcess } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Clock } from '../../meta/index.js';
import { CredentialError, systemCode, systemWords } from './errors.js';
import type { Environment } from './load.js';

/** A process to run for what it prints. */
export interface ExecRun {
  /** The command as the configuration has it, for messages. */
  readonly command: string;
  /** Where it is. */
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** Whether it is given the standard input of this process. */
  readonly interactive: boolean;
  /** Where its standard error goes; default that of this process. */
  readonly stderr: ((chunk: Uint8Array) => void) | undefined;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** A command that is not there. */
export class CommandMissing extends CredentialError {}

/**
 * Runs a process without a shell, to its end.
 *
 * @returns what it has printed
 * @throws CommandMissing when there is no such file
 * @throws CredentialError when it cannot be started, fails, takes too long or prints too much; what it printed is not shown
 */
export async function runCommand(run: ExecRun): Promise<Uint8Array> {
  const { command, clock, timeoutMs, maxOutputBytes } = run;
  const unattended = !run.interactive && isUnattended();
  const child = start(run, unattended);
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const give = (problem: CredentialError): void => {
      timer.cancel();
      reject(problem);
    };
    const stop = (problem: string): void => {
      give(new CredentialError(`exec: executable ${command} ${problem}`));
      kill(child, unattended);
    };
    const timer = clock.after(timeoutMs, () => stop(`did not end within ${timeoutMs / 1000} s`));
    child.stdout?.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxOutputBytes) stop(`printed more than ${maxOutputBytes} bytes`);
    });
    child.stderr?.on('data', (chunk: Uint8Array) => run.stderr?.(chunk));
    child.on('error', (error) => give(startProblem(run, error)));
    // A process has ended when nobody holds its output any more.
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

/** The platform's own message may show arguments and environment. */
function startProblem({ path }: ExecRun, error: unknown): CredentialError {
  const message = `exec: fork/exec ${path}: ${systemWords(error)}`;
  return systemCode(error) === 'ENOENT' ? new CommandMissing(message) : new CredentialError(message);
}

/**
 * Whether nobody sits at a terminal. Then a plugin gets a process group of its own, so that what it has started ends with
 * it. Where somebody does, it must stay in the group of the terminal: to be interrupted from there, and to ask for a
 * password on it.
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
    // It has ended meanwhile.
  }
}
