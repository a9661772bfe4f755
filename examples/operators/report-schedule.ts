/**
 * A controller like CronJob: it makes a Job for each interval of a schedule, keeps the last ones, and says when it ran.
 */
import { defineResource, statusSubresource } from 'orch-apiserver';
import { condition, createController } from 'orch-apiserver/controllers';
import { Job } from 'orch-apiserver/kinds';
import { z } from 'zod';

export const ReportSchedule = defineResource({
  group: 'reports.example',
  version: 'v1',
  kind: 'ReportSchedule',
  plural: 'reportschedules',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({ everyMinutes: z.number().int().min(1), image: z.string(), keep: z.number().int().default(2) }),
      status: z
        .object({ lastRun: z.string().optional(), conditions: z.array(z.looseObject({ type: z.string() })).optional() })
        .optional(),
    }),
  subresources: { status: statusSubresource },
});

const isDone = ({ status }: { status?: { completionTime?: string | undefined } | undefined }): boolean =>
  status?.completionTime !== undefined;

export const reportSchedules = createController({
  name: 'report-schedule',
  kind: ReportSchedule,
  owns: [Job],
  async reconcile({ metadata, spec }, { apply, client, clock, event, owned, requeueAfter, setStatus }) {
    const everyMs = spec.everyMinutes * 60_000;
    const slot = Math.floor(clock.now() / everyMs);
    // The name follows from the time: a second run finds the Job of the first.
    const name = `${metadata.name}-${slot}`;
    const jobs = owned(Job);
    if (!jobs.some((job) => job.metadata.name === name)) {
      const container = { name: 'report', image: spec.image };
      await apply(Job, {
        metadata: { name },
        spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } },
      });
      event('Normal', 'Started', `started ${name}`);
    }
    const done = jobs.filter(isDone).sort((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));
    for (const { metadata: old } of done.slice(0, Math.max(0, done.length - spec.keep)))
      await client
        .resource(Job)
        .namespace(old.namespace ?? '')
        .delete(old.name ?? '', { propagationPolicy: 'Background' });
    await setStatus({ lastRun: new Date(slot * everyMs).toISOString() }, condition('Ready', true, 'Scheduled'));
    requeueAfter((slot + 1) * everyMs - clock.now());
  },
});
