import { expect } from 'vitest';
import type { CrashReport } from './crash-protocol.js';
import { textOf } from './crash-protocol.js';

interface Attempt {
  readonly op: string;
  readonly key: string;
  /** Revision reported to its writer. */
  acknowledged: number | undefined;
  /** Revision of its event. */
  happened: number | undefined;
}

/** Receives the reports of all children, one after another, and checks them. */
export class CrashWitness {
  /** Revision up to which events were seen: a watch continues from here. */
  seen = 1;
  acknowledged = 0;
  /** Writes that happened, and whose writer was killed before it learned of them. */
  unreported = 0;
  private readonly attempts = new Map<string, Attempt>();
  private readonly waiting = new Set<Attempt>();
  private readonly state = new Map<string, { readonly revision: number; readonly text: string }>();

  receive(report: CrashReport): void {
    switch (report.kind) {
      case 'try':
        this.attempts.set(report.id, { op: report.op, key: report.key, acknowledged: undefined, happened: undefined });
        return;
      case 'ok':
        return this.receiveAcknowledgement(report.id, report.revision);
      case 'event':
        return this.receiveEvent(report);
      case 'state':
        return this.receiveState(report);
      case 'refused':
        return void this.attempts.delete(report.id);
      case 'ended':
        throw new Error(`the child ended by itself: ${report.reason}`);
    }
  }

  private attempt(id: string): Attempt {
    const attempt = this.attempts.get(id);
    if (attempt === undefined) throw new Error(`no child has attempted to write ${id}`);
    return attempt;
  }

  private receiveAcknowledgement(id: string, revision: number): void {
    const attempt = this.attempt(id);
    attempt.acknowledged = revision;
    this.acknowledged += 1;
    if (attempt.happened === undefined) this.waiting.add(attempt);
    else expect(attempt.happened).toBe(revision);
  }

  /** Events arrive without gaps or repeats, each for an attempted write, complete. */
  private receiveEvent({ type, key, revision, text }: Extract<CrashReport, { kind: 'event' }>): void {
    expect(revision).toBe(this.seen + 1);
    this.seen = revision;
    const id = text.slice(0, text.indexOf('@'));
    expect(text).toBe(textOf(id, revision));
    const attempt = this.attempt(id);
    expect({ op: type, key, happened: undefined }).toEqual({
      op: attempt.op,
      key: attempt.key,
      happened: attempt.happened,
    });
    attempt.happened = revision;
    if (attempt.acknowledged !== undefined) expect(attempt.acknowledged).toBe(revision);
    this.waiting.delete(attempt);
    if (type === 'delete') this.state.delete(key);
    else this.state.set(key, { revision, text });
  }

  /** A newly opened store contains every acknowledged write, and matches its events. */
  private receiveState({ revision, records }: Extract<CrashReport, { kind: 'state' }>): void {
    expect(revision).toBe(this.seen);
    expect([...this.waiting]).toEqual([]);
    const expected = [...this.state].map(([key, version]) => [key, version.revision, version.text]);
    expect(Object.fromEntries(records.map(([key, ...rest]) => [key, rest]))).toEqual(
      Object.fromEntries(expected.map(([key, ...rest]) => [key, rest])),
    );
    for (const attempt of this.attempts.values())
      if (attempt.happened !== undefined && attempt.acknowledged === undefined) this.unreported += 1;
    this.attempts.clear();
  }
}
