import { report } from './report.js';

/** Facts of a log line. An Error is written with its name, message and stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log of a server. Messages and fields never contain secrets. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Returns a logger whose failures are ignored. */
export function safeLogger(logger: Logger): Logger {
  return {
    info: (message, fields) => report(() => logger.info(message, fields)),
    error: (message, fields) => report(() => logger.error(message, fields)),
  };
}

/** Logs only errors, to the console: the in-process default. */
export const consoleLogger: Logger = {
  info: () => undefined,
  error: (message, fields) => (fields === undefined ? console.error(message) : console.error(message, fields)),
};

/** Logs nothing. */
export const silentLogger: Logger = {
  info: () => undefined,
  error: () => undefined,
};
