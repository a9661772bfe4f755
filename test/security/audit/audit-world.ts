import { controllerNames } from '../../../src/entries/controllers.js';
import type { AuditEvent, AuditPolicy } from '../../../src/security/audit/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';

/** A test server with an audit log, and the events that it has written. */
export interface AuditWorld extends TestServer {
  readonly auditEvents: AuditEvent[];
  /** Takes the events so far, once all of them have been delivered. */
  taken(): Promise<AuditEvent[]>;
}

/** Records everything of the requests of `admin`, `alice` and nobody; nothing of the server's own. */
export const EVERYTHING: AuditPolicy = {
  rules: [{ level: 'None', users: ['system:apiserver'] }, { level: 'RequestResponse' }],
};

/** Starts a server with an audit log. */
export async function auditWorld(
  policy: AuditPolicy = EVERYTHING,
  options: Omit<TestServerOptions, 'audit'> = {},
): Promise<AuditWorld> {
  const events: AuditEvent[] = [];
  const running = await startTestServer({
    dialect: 'kubernetes',
    ...options,
    controllers: { disable: controllerNames, ...options.controllers },
    authentication: {
      tokens: [
        { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
        {
          token: 'alice',
          user: { username: 'alice', groups: ['system:authenticated'], uid: 'u1', extra: { team: ['x'] } },
        },
      ],
      ...options.authentication,
    },
    observability: { ...options.observability, audit: { policy, sink: (batch) => void events.push(...batch) } },
  });
  const taken = async (): Promise<AuditEvent[]> => {
    await running.clock.settle();
    return events.splice(0);
  };
  await taken();
  return Object.assign(running, { auditEvents: events, taken });
}

/** The stages of events, with their codes. */
export const stagesOf = (events: readonly AuditEvent[]): string[] =>
  events.map(({ stage, responseStatus }) =>
    responseStatus?.code === undefined ? stage : `${stage} ${responseStatus.code}`,
  );
