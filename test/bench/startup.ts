import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Measure } from './measure.js';

const run = promisify(execFile);
const ROUNDS = 15;

/** Time from the start of `orch-apiserver test-server` until it prints how to reach it, in milliseconds. */
async function testServerMs(): Promise<number> {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const start = performance.now();
  const child = spawn(process.execPath, [main, 'test-server', '--exit-with-parent'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const ms = performance.now() - start;
  child.stdin.end();
  await exited;
  return ms;
}

/** Import of the package, the start of the test server, and a new server's first answer, each time in a new process. */
export async function startup(): Promise<Measure[]> {
  const script = fileURLToPath(new URL('servers/startup.mjs', import.meta.url));
  const samples: { importMs: number; answerMs: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const { stdout } = await run(process.execPath, [script]);
    if (round > 0) samples.push(JSON.parse(stdout) as { importMs: number; answerMs: number });
  }
  const testServers: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) testServers.push(await testServerMs());
  return [
    {
      name: 'orch-apiserver test-server until it is ready',
      value: median(testServers),
      unit: 'ms',
      target: { sense: '<=', value: 300 },
    },
    {
      name: 'import of the package',
      value: median(samples.map((sample) => sample.importMs)),
      unit: 'ms',
      target: { sense: '<=', value: 80 },
    },
    {
      name: 'new ApiServer() to first answer',
      value: median(samples.map((sample) => sample.answerMs)),
      unit: 'ms',
      target: { sense: '<=', value: 10 },
    },
  ];
}
