import { RequestRecorder } from '../recorders/requests.js';
import { SeriesRecorder } from '../recorders/series.js';
import { WriteRecorder } from '../recorders/writes.js';
import type { PageParts } from './page-parts.js';

/** The recorders of a server for its page. All of them are bounded. */
export class Recorders {
  readonly requests = new RequestRecorder();
  readonly series: SeriesRecorder;
  readonly writes: WriteRecorder;

  constructor(parts: PageParts) {
    this.series = new SeriesRecorder(() => parts.clock.now(), parts.memoryBytes);
    this.writes = new WriteRecorder(parts);
    this.writes.follow(() => this.series.write());
  }
}
