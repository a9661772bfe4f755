import { serviceAccountUsername } from '../../../foundation/index.js';
import type { flowcontrolV1 } from '../../../kinds/index.js';
import {
  compileRule,
  ruleMatches,
  type ClassifiedRequest,
  type ClassifiedUser,
  type CompiledRule,
} from './compiled-rule.js';

/** A rule, and what it stands for. */
export interface IndexedRule<Item> {
  readonly rule: flowcontrolV1.PolicyRulesWithSubjects;
  readonly item: Item;
}

/** Rules in a block: each is a bit of a number that needs no allocation. */
const BLOCK_SIZE = 30;
const ALL = '*';
/** The prefix of the user names of all service accounts. */
const ACCOUNT_PREFIX = serviceAccountUsername('', '').slice(0, -1);

/**
 * Rules in the order in which they are tried. A request is compared only with the rules that have its user as a subject:
 * these are found by the names of the user and its groups.
 */
export class RuleIndex<Item> {
  readonly #blocks: readonly RuleBlock<Item>[];

  constructor(rules: readonly IndexedRule<Item>[]) {
    const starts = Array.from({ length: Math.ceil(rules.length / BLOCK_SIZE) }, (_, index) => index * BLOCK_SIZE);
    this.#blocks = starts.map((start) => new RuleBlock(rules.slice(start, start + BLOCK_SIZE)));
  }

  /** Returns what the first rule that matches stands for. */
  find(user: ClassifiedUser, request: ClassifiedRequest): Item | undefined {
    for (const block of this.#blocks) {
      const found = block.find(user, request);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Sets of rules of a block as bits, by the name of a subject. */
type RuleSets = Map<string, number>;

class RuleBlock<Item> {
  readonly #rules: readonly CompiledRule[];
  readonly #items: readonly Item[];
  /** The rules for every user. */
  #everyone = 0;
  readonly #users: RuleSets = new Map();
  readonly #groups: RuleSets = new Map();
  /** The rules for all service accounts of a namespace. */
  readonly #accounts: RuleSets = new Map();

  constructor(rules: readonly IndexedRule<Item>[]) {
    this.#rules = rules.map(({ rule }) => compileRule(rule));
    this.#items = rules.map(({ item }) => item);
    for (const [index, { rule }] of rules.entries())
      for (const subject of rule.subjects) this.#add(subject, 1 << index);
  }

  find(user: ClassifiedUser, request: ClassifiedRequest): Item | undefined {
    for (let left = this.#rulesFor(user); left !== 0; left &= left - 1) {
      const index = 31 - Math.clz32(left & -left);
      if (ruleMatches(this.#rules[index] as CompiledRule, request)) return this.#items[index];
    }
    return undefined;
  }

  #rulesFor({ username, groups }: ClassifiedUser): number {
    let found = this.#everyone | (this.#users.get(username) ?? 0);
    for (const group of groups) found |= this.#groups.get(group) ?? 0;
    const namespace = this.#accounts.size === 0 ? undefined : accountNamespace(username);
    return namespace === undefined ? found : found | (this.#accounts.get(namespace) ?? 0);
  }

  #add({ kind, user, group, serviceAccount }: flowcontrolV1.Subject, rule: number): void {
    if (kind === 'User' && user !== undefined) this.#addNamed(this.#users, user.name, rule);
    else if (kind === 'Group' && group !== undefined) this.#addNamed(this.#groups, group.name, rule);
    else if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
      const { namespace, name } = serviceAccount;
      if (name === ALL) addTo(this.#accounts, namespace, rule);
      else addTo(this.#users, serviceAccountUsername(namespace, name), rule);
    }
  }

  #addNamed(sets: RuleSets, name: string, rule: number): void {
    if (name === ALL) this.#everyone |= rule;
    else addTo(sets, name, rule);
  }
}

/** Returns what stands for the namespace in the user name of a service account; undefined for other users. */
function accountNamespace(username: string): string | undefined {
  if (!username.startsWith(ACCOUNT_PREFIX)) return undefined;
  const end = username.indexOf(':', ACCOUNT_PREFIX.length);
  return end < 0 ? undefined : username.slice(ACCOUNT_PREFIX.length, end);
}

function addTo(sets: RuleSets, name: string, rule: number): void {
  sets.set(name, (sets.get(name) ?? 0) | rule);
}
