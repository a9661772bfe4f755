import { RequestRecorder } from '../recorders/requests.js';
import { SeriesRecorder } from '../recorders/series.js';
import { WriteRecorder } from '../recorders/writes.js';
import type { PageParts } from './page-parts.js';

/** The recorders of a server for its page. All of them are bounded, and counted in the memory budget. */
export class Recorders {
  readonly requests: RequestRecorder;
  readonly series: SeriesRecorder;
  readonly writes: WriteRecorder;

  constructor(parts: PageParts) {
    const { openRecordings } = parts;
    this.requests = new RequestRecorder(openRecordings);
    this.series = new SeriesRecorder(() => parts.clock.now(), parts.memoryBytes, openRecordings);
    this.writes = new WriteRecorder(parts);
    this.writes.follow(() => this.series.write());
  }

  /** Ends recording, and releases the memory. */
  close(): void {
    this.writes.stop();
    this.requests.close();
    this.series.close();
  }
}
