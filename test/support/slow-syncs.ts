import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** The calls by which a program waits until its disk has what it wrote. */
const SYNCS = 'fsync,fdatasync,msync,sync_file_range';

/** Whether {@link slowSyncs} can work here: strace is installed, and this process may trace others. */
export const canSlowSyncs = mayTrace();

/**
 * Makes each sync of a process and its children take longer, as on a slow disk, until the returned function is called.
 * The kernel delays the end of the calls (strace(1), `inject`): the programs themselves are what they are.
 */
export async function slowSyncs(pid: number, delayMs: number): Promise<() => Promise<void>> {
  const attached = processesOf(pid).flatMap((each) => ['-p', String(each)]);
  const inject = `inject=${SYNCS}:delay_exit=${delayMs * 1000}`;
  const tracer = spawn('strace', ['-f', '-o', '/dev/null', '-e', `trace=${SYNCS}`, '-e', inject, ...attached], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(tracer, 'exit');
  await new Promise<void>((resolve, reject) => {
    let said = '';
    tracer.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(' attached')) resolve();
    });
    tracer.once('error', reject);
    tracer.once('exit', () => reject(new Error(`strace ended: ${said}`)));
  });
  return async () => {
    tracer.kill('SIGINT');
    await ended;
  };
}

/** Returns a process and its children. */
function processesOf(pid: number): number[] {
  const threads = `/proc/${pid}/task`;
  const children = readdirSync(threads).flatMap((thread) =>
    readFileSync(`${threads}/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children];
}

/** Only root may always trace a process that is not its child. */
function mayTrace(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    const inject = 'inject=fsync:delay_exit=1';
    execFileSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=fsync', '-e', inject, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
