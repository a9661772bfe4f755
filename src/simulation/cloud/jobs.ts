import type { Clock } from '../../foundation/index.js';
import type { RuleBook, Rule } from '../scheduling/rule-book.js';
import type { CloudItem } from './match.js';
import { WORKS, type CloudPlan } from './outcomes.js';

/** The work of a cloud for an object. */
export type CloudVerb = 'create' | 'delete';

/** The answer of the cloud to a request: done, or not yet, or a failure after which the request is repeated. */
export type CloudAnswer =
  | { readonly state: 'done'; readonly plan: CloudPlan }
  | { readonly state: 'wait'; readonly afterMs: number }
  | { readonly state: 'never' }
  | { readonly state: 'failed'; readonly message: string; readonly retryMs: number };

/** A request that the cloud works on. */
interface Job {
  readonly rule: Rule<CloudItem, CloudPlan> | undefined;
  dueMs: number;
  failures: number;
}

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

/** The requests that a cloud works on, by the rules of the test. */
export class CloudJobs {
  readonly #clock: Clock;
  readonly #rules: RuleBook<CloudItem, CloudPlan>;
  readonly #jobs = new Map<string, Job>();

  constructor(clock: Clock, rules: RuleBook<CloudItem, CloudPlan>) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** Asks the cloud to create or delete something for an object; asked again, it answers how far it is. */
  ask(verb: CloudVerb, item: CloudItem): CloudAnswer {
    const rule = this.#rules.find(item);
    const plan = rule?.plan ?? WORKS;
    rule?.hit(item.uid);
    if (verb === 'create' && plan.pending) return { state: 'never' };
    const job = this.#jobOf(verb, item.uid, rule, verb === 'create' ? plan.delayMs : plan.deleteMs);
    const afterMs = job.dueMs - this.#clock.now();
    if (afterMs > 0) return { state: 'wait', afterMs };
    const failure = verb === 'create' ? plan.failure : plan.deletionFailure;
    if (failure === undefined || job.failures >= failure.times) return { state: 'done', plan };
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(job.failures, 10), LONGEST_RETRY_MS);
    job.failures += 1;
    job.dueMs = this.#clock.now() + retryMs;
    return { state: 'failed', message: failure.message, retryMs };
  }

  /** Forgets the requests for an object. */
  forget(uid: string): void {
    this.#jobs.delete(`create ${uid}`);
    this.#jobs.delete(`delete ${uid}`);
  }

  #jobOf(verb: CloudVerb, uid: string, rule: Job['rule'], delayMs: number): Job {
    const key = `${verb} ${uid}`;
    const known = this.#jobs.get(key);
    if (known !== undefined && known.rule === rule) return known;
    const job = { rule, dueMs: this.#clock.now() + delayMs, failures: 0 };
    this.#jobs.set(key, job);
    return job;
  }
}
