import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A test that needs longer says so itself.
    testTimeout: 15_000,
    pool: 'forks',
  },
});
