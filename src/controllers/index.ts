export type ControllerName = 'namespace';
export interface Controllers { start(): void; stop(): Promise<void>; settled(): Promise<void> }
export const createControllers = (_client: unknown, _options: unknown): Controllers => ({ start: () => undefined, stop: () => Promise.resolve(), settled: () => Promise.resolve() });
