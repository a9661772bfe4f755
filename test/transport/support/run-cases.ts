import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  echoHandler,
  transportCases,
  type EchoHandler,
  type TransportCaseContext,
  type TransportCaseName,
  type TransportExpectations,
} from '../../../src/testing/transport-cases/index.js';

/** A server under test. */
export interface Running extends TransportCaseContext {
  close(): Promise<void> | void;
}

/** Runs every case over one transport. A case that cannot pass is listed with its reason, and not run. */
export function runTransportCases(
  transport: string,
  expectations: TransportExpectations,
  start: (handler: EchoHandler) => Promise<Running>,
): void {
  describe(transport, () => {
    let running: Running;
    beforeAll(async () => {
      running = await start(echoHandler());
    });
    afterAll(() => running.close());
    for (const { name, run } of transportCases) {
      const expectation = expectations[name];
      if (expectation === 'pass') test(name, () => run(running));
      else test.skip(`${name} (cannot: ${expectation.skip})`, () => undefined);
    }
  });
}

/** Passes all data on unchanged. */
export const everything: TransportExpectations = {
  'methods arrive as sent': 'pass',
  'path and query arrive as sent': 'pass',
  'a long path arrives completely': 'pass',
  'repeated request headers keep every value': 'pass',
  'a body of any content type arrives byte for byte': 'pass',
  'a body without a content type arrives': 'pass',
  'a body of several megabytes arrives completely': 'pass',
  'a body of unknown length arrives completely': 'pass',
  'a body over the limit is refused, and the next request is served': 'pass',
  'a body of unknown length over the limit is refused': 'pass',
  'a body that the handler does not read has no effect on later requests': 'pass',
  'sequential and concurrent requests are kept separate': 'pass',
  'statuses arrive unchanged': 'pass',
  'responses with 204 and 304 have no body': 'pass',
  'HEAD has the headers and no body': 'pass',
  'a header with several values is sent as several fields': 'pass',
  'header values with non-ASCII characters or line breaks do not break the response': 'pass',
  'texts and bytes arrive with their length': 'pass',
  'a large list in parts arrives completely': 'pass',
  'a body of bytes in chunks arrives completely, and again': 'pass',
  'a stream arrives completely and ends': 'pass',
  'the first bytes of a stream arrive before its end': 'pass',
  'a stream whose source fails does not end like a complete one': 'pass',
  'the handler learns that the client has aborted': 'pass',
  'the handler learns that the client has cancelled the body': 'pass',
  'a slow reader slows the source': 'pass',
};

export type { TransportCaseName };
