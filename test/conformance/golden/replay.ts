import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { Storage } from '../../../src/entries/storage.js';
import { startRecordedServer } from './recorded-server.js';

/** A step whose answer differs from the recorded one. */
export interface Difference {
  readonly step: string;
  /** One line for each difference. */
  readonly why: readonly string[];
}

/** The result of the replay of a family. */
export interface Outcome {
  readonly family: string;
  /** Steps that were compared. */
  readonly steps: number;
  readonly differences: readonly Difference[];
}

/** Replays one family against a new server, which stores its objects in the given storage, or in memory. */
export async function replayFamily(recordings: string, family: string, storage?: Storage): Promise<Outcome> {
  await using server = await startRecordedServer(recordings, storage);
  const report = await runReplay(recordings, server.url, family);
  const outcome = parseReport(report).find((candidate) => candidate.family === family);
  if (outcome === undefined) throw new Error(`no report on ${family}:\n${report}`);
  return outcome;
}

/** Runs the tool in a thread, which starts in less time than a process. */
async function runReplay(recordings: string, url: string, family: string): Promise<string> {
  const argv = ['check', '--verbose', '--base', url, '--users', `${recordings}/users.example.json`, '--family', family];
  const tool = new Worker(`${recordings}/replay.mjs`, { argv, stdout: true, stderr: true });
  const ended = once(tool, 'exit') as Promise<[number]>;
  const [report, errors, [code]] = await Promise.all([text(tool.stdout), text(tool.stderr), ended]);
  // Exit code 1 means that a step differs, which the report also says; other codes are failures of the tool.
  if (code > 1) throw new Error(`the replay of ${family} failed: ${errors}`);
  return report;
}

const FAMILY_LINE = /^(\S+) +(\d+)\/(\d+)$/;
const STEP_LINE = /^ {2}✗ (.*)$/;

function parseReport(report: string): Outcome[] {
  const outcomes: { family: string; steps: number; differences: { step: string; why: string[] }[] }[] = [];
  for (const line of report.split('\n')) {
    const family = FAMILY_LINE.exec(line);
    const step = STEP_LINE.exec(line);
    const current = outcomes.at(-1);
    if (family !== null) outcomes.push({ family: family[1] ?? '', steps: Number(family[3]), differences: [] });
    else if (step !== null) current?.differences.push({ step: step[1] ?? '', why: [] });
    else if (line.startsWith('      ')) current?.differences.at(-1)?.why.push(line.trim());
  }
  return outcomes;
}
