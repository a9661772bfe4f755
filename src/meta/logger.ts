import { report } from './report.js';

/** Facts of a log line. An Error is written with its name, message and stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where a server says what goes on in it. Nothing secret is passed to it. */
export interface Logger {
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A logger whose failures end nothing: what it throws is dropped. */
export function safeLogger(logger: Logger): Logger {
  return {
    info: (message, fields) => report(() => logger.info(message, fields)),
    error: (message, fields) => report(() => logger.error(message, fields)),
  };
}

/** Says on the console what went wrong, and nothing else: the default in-process. */
export const consoleLogger: Logger = {
  info: () => undefined,
  error: (message, fields) => (fields === undefined ? console.error(message) : console.error(message, fields)),
};

/** Says nothing. */
export const silentLogger: Logger = {
  info: () => undefined,
  error: () => undefined,
};
