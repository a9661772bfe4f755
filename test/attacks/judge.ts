import type { Result } from './run-row.js';

/** The limits of every row. Times in milliseconds. */
export interface Limits {
  /** Longest wait of the probe, without the time in which the machine ran other processes. Undefined: not judged. */
  readonly waitMs: number | undefined;
  /** Longest turn of the server, in time of its thread on a processor. */
  readonly turnMs: number;
}

/** The rule: others never wait longer than this. */
export const RULE: Limits = { waitMs: 100, turnMs: 100 };

/** Memory of the process that the heap does not count, as a share of the heap (docs/reference/limits.md), and the program itself. */
const RSS_SHARE = 1.5;
const PROGRAM_BYTES = 128 * 2 ** 20;
/** Share of the heap that may be in use in addition after the attack: caches and history. */
const KEPT_SHARE = 0.1;
const MIB = 2 ** 20;
/** Share of the CPU time charged to flows that must be charged to that of the attacker, once there is enough to tell. */
const CHARGED_SHARE = 0.5;
const ENOUGH_CPU_S = 0.6;

/** Describes what is wrong with a result. Empty: nothing. */
export function faultsOf(result: Result, limits: Limits = RULE): string[] {
  if (result.ended !== undefined) return [`the process ended: ${result.ended}`];
  return [...waits(result, limits), ...answers(result), ...memory(result), ...charges(result), ...result.failures];
}

function* waits({ beside, turns, isUnfinished }: Result, limits: Limits): Iterable<string> {
  if (isUnfinished) yield 'the attack had no answer in time';
  if (limits.waitMs !== undefined && beside.waitMs > limits.waitMs) yield `another user waited ${ms(beside.waitMs)}`;
  if (turns === undefined) yield 'the server did not answer its gauge';
  else if (turns.turnMs > limits.turnMs) yield `a turn took ${ms(turns.turnMs)}`;
  if (Object.keys(beside.refused).length > 0) yield `another user got ${JSON.stringify(beside.refused)}`;
}

function* answers({ row, answers: all, isUnfinished }: Result): Iterable<string> {
  const right = new Set([...(row.statuses ?? [200, 201]), ...(all.length > 1 ? [429] : [])]);
  const wrong = all.find(({ status }) => !right.has(status));
  if (wrong !== undefined && !isUnfinished) yield `answer ${wrong.status} ${wrong.text.slice(0, 300)}`;
  const { says } = row;
  const other = all.find(({ status, text }) => status !== 429 && says?.test(text) === false);
  if (says !== undefined && other !== undefined && !isUnfinished)
    yield `answer without ${String(says)}: ${other.text.slice(0, 300)}`;
  if (all.length === 0) yield 'nothing was sent';
}

function* memory({ row, heapMb, turns, heapBefore, heapAfter, reserved }: Result): Iterable<string> {
  const most = heapMb * MIB * RSS_SHARE + PROGRAM_BYTES;
  if (turns !== undefined && turns.peakRss > most) yield `RSS of ${mib(turns.peakRss)}, more than ${mib(most)}`;
  if (heapBefore === undefined) yield 'the server did not answer its gauge before the attack';
  const kept = heapBefore === undefined ? 0 : (heapAfter ?? heapBefore) - heapBefore;
  const mayKeep = heapMb * MIB * KEPT_SHARE + (row.keepsMb ?? 0) * MIB;
  if (kept > mayKeep) yield `${mib(kept)} stayed in the heap`;
  if (reserved !== undefined && reserved !== 0) yield `${reserved} bytes are still reserved`;
}

function* charges({ row, charged }: Result): Iterable<string> {
  if (row.byControllers === true || charged === undefined || charged.toAll < ENOUGH_CPU_S) return;
  if (charged.toAttacker < CHARGED_SHARE * charged.toAll)
    yield `${charged.toAttacker.toFixed(2)} of ${charged.toAll.toFixed(2)} s were charged to the attacker`;
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;
