  const $ = id => document.getElementById(id);
  const set = (id, text) => { $(id).textContent = text; };

  const count = new Intl.NumberFormat('en');
  const size = n => {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let i = 0;
    for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
    return (i ? n.toFixed(1) : n) + ' ' + units[i];
  };

  // Returns a round number at which the axis of a plot can end.
  const round = v => {
    const unit = 10 ** Math.floor(Math.log10(v));
    return unit * [1, 2, 2.5, 5, 10].find(n => n * unit >= v);
  };

  // A plot shows the last minute of its curves; the right edge is now.
  const span = 60e3;
  class Plot {
    constructor(id, format, floor, classes) {
      this.box = $(id);
      this.format = format;
      this.floor = floor; // minimum end of the axis
      const svg = this.box.querySelector('svg');
      const make = name => {
        const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        path.setAttribute('class', name);
        svg.append(path);
        return path;
      };
      this.curves = classes.map((name, i) => ({ values: [], area: i ? null : make('area ' + name), line: make(name) }));
      const label = (name, style, text) => {
        const e = document.createElement('span');
        e.className = name;
        Object.assign(e.style, style);
        e.append(text);
        this.box.prepend(e);
        return e;
      };
      this.marks = [0, .5, 1].map(at => label('y', { bottom: 100 * at + '%' }, document.createElement('b')).firstChild);
      for (const [name, left, text] of [['x first', 0, '−60 s'], ['x', 50, '−30 s'], ['x last', 100, 'now']])
        label(name, { left: left + '%' }, text);
      this.draw();
    }
    add(i, v) {
      this.curves[i].values.push({ at: performance.now(), v });
      this.draw();
    }
    draw() {
      const now = performance.now();
      let peak = this.floor;
      for (const c of this.curves) {
        c.values = c.values.filter(p => now - p.at < span);
        for (const p of c.values) peak = Math.max(peak, p.v);
      }
      const top = round(peak);
      this.marks.forEach((m, i) => { m.textContent = i ? this.format(top * i / 2) : '0'; });
      for (const c of this.curves) {
        if (!c.values.length) continue;
        const x = p => (60 - (now - p.at) / 1e3).toFixed(2);
        const d = 'M' + c.values.map(p => x(p) + ' ' + (100 - 100 * p.v / top).toFixed(2)).join('L');
        c.line.setAttribute('d', d);
        if (c.area) c.area.setAttribute('d', d + 'V100H' + x(c.values[0]) + 'Z');
      }
    }
  }
  const milliseconds = v => (v < 10 ? v.toFixed(1).replace('.0', '') : Math.round(v)) + ' ms';

  // Adds a copy button to each command, if the browser supports that.
  const copyButtons = () => navigator.clipboard && document.querySelectorAll('.copy').forEach(box => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.onclick = async () => {
      await navigator.clipboard.writeText(box.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    };
    box.append(button);
  });
