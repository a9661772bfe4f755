import { History, type Invocation, type Outcome, type Shown } from './history.js';

/** Options of a call of a {@link HandMade} history; by default client 1 calls server 1. */
type Call = Partial<Omit<Invocation, 'kind' | 'key'>>;

/** A version of the key `/a/x`, created at its own revision unless said otherwise. */
export function version(value: number, revision: number, createRevision = revision, key = '/a/x'): Shown {
  return { key, value, revision, createRevision };
}

/** Writes histories by hand, call after call. The key is `/a/x` unless said otherwise. */
export class HandMade {
  readonly history = new History();

  begin(kind: Invocation['kind'], call: Call = {}, key = kind.startsWith('list') ? '/a/' : '/a/x'): number {
    return this.history.invoke({ client: 1, server: 1, kind, key, ...call });
  }

  end(row: number, outcome: Outcome, result: Parameters<History['return']>[2] = {}): this {
    this.history.return(row, outcome, result);
    return this;
  }

  create(value: number, revision: number, key = '/a/x'): this {
    return this.end(this.begin('create', { value }, key), 'ok', { revision });
  }

  update(value: number, revision: number, replaced: number, argument: number): this {
    return this.end(this.begin('update', { value, replaced, argument }), 'ok', { revision });
  }

  delete(revision: number, replaced: number, argument: number): this {
    return this.end(this.begin('delete', { replaced, argument }), 'ok', { revision });
  }

  get(revision: number, ...shown: Shown[]): this {
    return this.end(this.begin('get'), 'ok', { revision, shown });
  }

  list(revision: number, shown: Shown[], remaining = 0, call: Call & { kind?: Invocation['kind'] } = {}): this {
    const { kind = 'list', ...rest } = call;
    return this.end(this.begin(kind, rest), 'ok', { revision, shown, remaining });
  }

  watch(from = 0): number {
    return this.history.watch({ client: 1, server: 1, prefix: '/a/', from });
  }
}
