/**
 * Authorization checks of expressions. Expressions are evaluated synchronously, while an authorizer may have to wait: the
 * evaluation is then abandoned and repeated once the decision is known. Expressions have no effects, so that a
 * repetition changes nothing.
 *
 * @module
 */
import {
  inSlices,
  messageOf,
  serviceAccountGroups,
  serviceAccountUsername,
  type Steps,
  type UserInfo,
  type Work,
} from '../../foundation/index.js';
import type {
  AuthorizationCheck,
  AuthorizationDecision,
  CheckedServiceAccount,
  DecideAuthorization,
} from '../../machinery/index.js';

/** Decides whether a user may do what an expression checks. */
export type DecideAccess = (
  user: UserInfo,
  check: AuthorizationCheck,
) => AuthorizationDecision | Promise<AuthorizationDecision>;

/** Thrown out of an evaluation that needs a decision which is not known yet. */
class DecisionPending {
  readonly decided: Promise<void>;

  constructor(decided: Promise<void>) {
    this.decided = decided;
  }
}

/** Returns the user of a service account, without the groups that its token would give. */
const accountUser = ({ namespace, name }: CheckedServiceAccount): UserInfo => ({
  username: serviceAccountUsername(namespace, name),
  groups: serviceAccountGroups(namespace),
});

/** The decisions of one request. Each check is decided once. */
export class AccessDecisions {
  readonly #user: UserInfo;
  readonly #decideAccess: DecideAccess;
  readonly #known = new Map<string, AuthorizationDecision>();

  constructor(user: UserInfo, decide: DecideAccess) {
    this.#user = user;
    this.#decideAccess = decide;
  }

  /** Decides for expressions. Must run within {@link AccessDecisions.complete}. */
  readonly decide: DecideAuthorization = (check) => {
    const key = JSON.stringify([check.verb, check.serviceAccount ?? null, check.access]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { serviceAccount } = check;
    const decision = this.#decideAccess(serviceAccount === undefined ? this.#user : accountUser(serviceAccount), check);
    if (decision instanceof Promise) throw new DecisionPending(this.#remember(key, decision));
    this.#known.set(key, decision);
    return decision;
  };

  /** Runs an evaluation in slices, again after each decision that it has to wait for. */
  complete<Result>(evaluate: () => Steps<Result>, work: Work): Result | Promise<Result> {
    const again = (error: unknown): Promise<Result> => {
      if (!(error instanceof DecisionPending)) throw error;
      return error.decided.then(() => this.complete(evaluate, work));
    };
    try {
      const result = inSlices(work, evaluate(), 'admission');
      return result instanceof Promise ? result.catch(again) : result;
    } catch (error) {
      return again(error);
    }
  }

  async #remember(key: string, pending: Promise<AuthorizationDecision>): Promise<void> {
    // As in Kubernetes, an authorizer that fails has no opinion, and the expression can read the error.
    const failed = (error: unknown): AuthorizationDecision => ({
      isAllowed: false,
      reason: '',
      error: messageOf(error),
    });
    this.#known.set(key, await pending.catch(failed));
  }
}
