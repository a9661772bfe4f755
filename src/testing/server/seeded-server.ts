import type { TestServerOptions } from './test-options.js';
import { startTestServer, type TestServer } from './test-server.js';

/** Options of the helpers for test runners. */
export interface SeededServerOptions extends TestServerOptions {
  /** Prepares the state that every test begins with. Called once, after the start. */
  readonly prepare?: ((seeded: TestServer) => void | Promise<void>) | undefined;
}

/** Starts the server that is forked for each test. It has settled. */
export async function startSeededServer({ prepare, ...options }: SeededServerOptions): Promise<TestServer> {
  const seeded = await startTestServer(options);
  try {
    await prepare?.(seeded);
    await seeded.settled();
    return seeded;
  } catch (error) {
    await seeded.close();
    throw error;
  }
}
