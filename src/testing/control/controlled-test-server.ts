import type { TestServer } from '../test-server.js';
import type { ControlledServer } from './controlled-server.js';

/** Options of the test server, as they were given to it. */
export interface ControlledTestServerOptions {
  readonly time: 'manual' | 'real';
  readonly ownerToken: string;
}

/** Returns a test server as the control API uses it. */
export function controlledTestServer(test: TestServer, options: ControlledTestServerOptions): ControlledServer {
  return {
    // The server is looked up for each request, because a reset may replace it.
    target: {
      handle: (request) => test.server.handle(request),
      handleWebSocket: (request) => test.server.handleWebSocket(request),
      listening: (url) => test.server.listening(url),
    },
    kubeConfig: (options) => test.server.kubeConfig(options),
    token: options.ownerToken,
    time: options.time,
    now: () => test.clock.now(),
    advance: (ms) => test.advance(ms),
    settled: () => test.settled(),
    close: () => test.close(),
  };
}
