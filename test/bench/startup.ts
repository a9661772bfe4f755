import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Measure } from './measure.js';

const run = promisify(execFile);
const ROUNDS = 15;

/** Import of the package, and a new server's first answer, each time in a new process. */
export async function startup(): Promise<Measure[]> {
  const script = fileURLToPath(new URL('servers/startup.mjs', import.meta.url));
  const samples: { importMs: number; answerMs: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const { stdout } = await run(process.execPath, [script]);
    if (round > 0) samples.push(JSON.parse(stdout) as { importMs: number; answerMs: number });
  }
  return [
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
