/** Restores what a test file spied on, for the next one in its process. Vitest loads it before each test file. */
import { afterAll, vi } from 'vitest';

afterAll(() => {
  vi.restoreAllMocks();
});
