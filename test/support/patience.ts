/** For `vi.waitFor` of what comes when the machine has time for it: its own default of a second is short on a busy one. */
export const PATIENCE = { timeout: 15_000, interval: 10 };
