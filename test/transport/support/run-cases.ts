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

/** Runs every case over one transport. A case that cannot pass is listed by its reason, and not run. */
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

/** Passes everything. */
export const everything: TransportExpectations = {
  'methods arrive as sent': 'pass',
  'path and query arrive as sent': 'pass',
  'a long path arrives whole': 'pass',
  'repeated request headers keep every value': 'pass',
  'a body of any content type arrives byte for byte': 'pass',
  'a body without a content type arrives': 'pass',
  'a body of megabytes arrives whole': 'pass',
  'a body of open length arrives whole': 'pass',
  'a body past the limit is refused, and the next request served': 'pass',
  'a body of open length past the limit is refused': 'pass',
  'a body that the handler does not read harms nothing': 'pass',
  'requests one after another and at once are kept apart': 'pass',
  'statuses come out as they are': 'pass',
  'answers of 204 and 304 have no body': 'pass',
  'HEAD has the fields and no body': 'pass',
  'a header with several values is sent as several fields': 'pass',
  'header values with characters beyond ASCII or line breaks do not break the answer': 'pass',
  'texts and bytes come out with their length': 'pass',
  'a large list in parts comes out whole': 'pass',
  'a stream comes out whole and ends': 'pass',
  'the first bytes of a stream arrive before its end': 'pass',
  'a stream whose source fails does not end as if it were whole': 'pass',
  'the handler hears that the client has aborted': 'pass',
  'the handler hears that the client has cancelled the body': 'pass',
  'a slow reader slows the source': 'pass',
};

export type { TransportCaseName };
