import { report } from './report.js';

/** Facts of a log line. An Error is written with its name, message and stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log of a server. Messages and fields never contain secrets. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  /** Says what the operator should change; without it, a warning is logged by `info`. */
  warn?(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Returns a logger whose failures are ignored, with all levels. */
export function safeLogger(logger: Logger): Required<Logger> {
  return {
    info: (message, fields) => report(() => logger.info(message, fields)),
    warn: (message, fields) =>
      report(() => (logger.warn === undefined ? logger.info(message, fields) : logger.warn(message, fields))),
    error: (message, fields) => report(() => logger.error(message, fields)),
  };
}

/** Logs only warnings and errors, to the console: the in-process default. */
export const consoleLogger: Logger = {
  info: () => undefined,
  warn: (message, fields) => (fields === undefined ? console.warn(message) : console.warn(message, fields)),
  error: (message, fields) => (fields === undefined ? console.error(message) : console.error(message, fields)),
};

/** Logs nothing. */
export const silentLogger: Logger = {
  info: () => undefined,
  error: () => undefined,
};
