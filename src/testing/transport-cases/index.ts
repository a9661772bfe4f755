/**
 * The requirements on every transport, as a list of cases over a reference handler. They test the transports of this
 * package and any other.
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

/** All cases. They are independent but share the handler: run each list against a new one. */
export const transportCases = [...requestCases, ...answerCases, ...streamCases] as const;

/** Names of the cases. */
export type TransportCaseName = (typeof transportCases)[number]['name'];

/**
 * The expected result of each case for one transport: it passes, or the reason why it cannot. A missing case is a type
 * error, so every new case is considered for every transport.
 */
export type TransportExpectations = Readonly<Record<TransportCaseName, 'pass' | { readonly skip: string }>>;
