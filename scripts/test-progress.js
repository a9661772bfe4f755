/** Says how far the tests are, where the terminal does not show it: a line for each twentieth of the files. */
export default class TestProgress {
  #total = 0;
  #ended = 0;
  #failed = 0;
  #beganMs = 0;

  onTestRunStart(specifications) {
    this.#total = specifications.length;
    this.#ended = 0;
    this.#failed = 0;
    this.#beganMs = performance.now();
  }

  onTestModuleEnd(module) {
    this.#ended += 1;
    if (module.state() === 'failed') this.#failed += 1;
    const step = (count) => Math.floor((20 * count) / this.#total);
    if (this.#total < 100 || step(this.#ended) === step(this.#ended - 1)) return;
    const percent = Math.round((100 * this.#ended) / this.#total);
    const seconds = Math.round((performance.now() - this.#beganMs) / 1000);
    const failures = this.#failed === 0 ? '' : `, ${this.#failed} failed`;
    console.log(`${percent} %: ${this.#ended} of ${this.#total} files after ${seconds} s${failures}`);
  }
}
