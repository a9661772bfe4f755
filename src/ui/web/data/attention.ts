import type { Concern } from '../../answers.js';
import type { Api } from './api.js';
import { isMap, listOf } from './guards.js';

/** The objects that need attention. */
export interface Attention {
  /** The gravest first. */
  readonly items: readonly Concern[];
  /** How many more there are. */
  readonly more: number;
  /** Whether the server has looked at all objects. */
  readonly complete: boolean;
}

/** Objects of one kind with one sign. */
export interface ConcernGroup {
  readonly kind: string;
  readonly sign: Concern['sign'];
  readonly items: readonly Concern[];
}

const TEXTS = ['group', 'version', 'kind', 'resource', 'namespace', 'name', 'words', 'since'] as const;

const isConcern = (value: unknown): value is Concern =>
  isMap(value) &&
  TEXTS.every((name) => typeof value[name] === 'string') &&
  (value['sign'] === 'failed' || value['sign'] === 'deleting' || value['sign'] === 'warning');

/** Reads which objects need attention. @throws ApiFailure, such as 403 for a user who may not ask */
export async function readAttention(api: Api, signal: AbortSignal): Promise<Attention> {
  const sent = await api.read<unknown>('ui/v1/attention', 'application/json', signal);
  const { items, more, complete } = isMap(sent) ? sent : {};
  return {
    items: listOf(items).filter(isConcern),
    more: typeof more === 'number' ? more : 0,
    complete: complete === true,
  };
}

/** Returns concerns by kind and sign, in the order of the first of each. */
export function concernGroups(items: readonly Concern[]): ConcernGroup[] {
  const groups = new Map<string, Concern[]>();
  for (const item of items) {
    const key = `${item.sign} ${item.group}/${item.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    return first === undefined ? [] : [{ kind: first.kind, sign: first.sign, items: members }];
  });
}
