/**
 * What every transport must do, as a list of cases over a reference handler, for transports of this package and of
 * anyone's.
 *
 * ```ts
 * const stop = await serveWithMyTransport(echoHandler());
 * for (const { name, run } of transportCases) test(name, () => run({ base: 'http://127.0.0.1:8080', fetch }));
 * ```
 *
 * @module
 */

import { answerCases } from './answer-cases.js';
import { requestCases } from './request-cases.js';
import { streamCases } from './stream-cases.js';

export { echoHandler, type EchoHandler } from './echo-handler.js';
export type { CaseFetch, TransportCase, TransportCaseContext } from './transport-case.js';

/** Every case. They do not depend on each other, but share the handler: run each list against a fresh one. */
export const transportCases = [...requestCases, ...answerCases, ...streamCases] as const;

/** Names of the cases. */
export type TransportCaseName = (typeof transportCases)[number]['name'];

/**
 * What is expected of one transport, for every case: that it passes, or the reason why it cannot. A case that is left out
 * is a type error, so that a new case is looked at for every transport.
 */
export type TransportExpectations = Readonly<Record<TransportCaseName, 'pass' | { readonly skip: string }>>;
