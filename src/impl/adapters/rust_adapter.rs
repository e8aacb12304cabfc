//! detcheck asks, Rust's standard library answers, in fp32 and fp64:
//!
//!     rustc -O rust_adapter.rs
//!     detcheck sweep sin --impl exec:./rust_adapter
//!
//! Most of std's functions are those of the C library that the program is linked to. With the crate libm, which is Rust
//! all through, its functions stand in the place of std's:
//!
//!     rustc -O rust_adapter.rs --cfg libm --extern libm=liblibm.rlib
//!
//! With a port of detmath, the crate detmath (detcheck-ports(7)), that is asked:
//!
//!     rustc -O rust_adapter.rs --cfg detmath --extern detmath=libdetmath.rlib
//!
//! With the port in fp64, detmath_f64, that is asked, and behind the word cr_ for its functions that are correctly rounded:
//!
//!     rustc -O rust_adapter.rs --cfg detmath_f64 --extern detmath_f64=libdetmath_f64.rlib
//!
//! To measure something else, change the table.
#![allow(unexpected_cfgs)]
use std::io::{Read, Write};

/// A function of one, two or three operands.
#[derive(Clone, Copy)]
enum Function<T> {
    One(fn(T) -> T),
    Two(fn(T, T) -> T),
    Three(fn(T, T, T) -> T),
}
use Function::{One, Three, Two};

impl<T: Copy> Function<T> {
    fn operands(&self) -> u32 {
        match self {
            One(_) => 1,
            Two(_) => 2,
            Three(_) => 3,
        }
    }

    fn call(&self, x: &[T]) -> T {
        match self {
            One(f) => f(x[0]),
            Two(f) => f(x[0], x[1]),
            Three(f) => f(x[0], x[1], x[2]),
        }
    }
}

/// detcheck's name and the functions in fp32 and fp64.
type Row = (&'static str, Function<f32>, Function<f64>);

#[cfg(not(libm))]
const SOURCE: &str = "std of Rust";
#[cfg(libm)]
const SOURCE: &str = "the crate libm, Rust";

/// A row: detcheck's name, the number of operands, std's name, and libm's for fp64 and fp32.
#[cfg(not(libm))]
macro_rules! row {
    ($name:ident $form:ident $std:ident $wide:ident $narrow:ident) => {
        (stringify!($name), $form(f32::$std), $form(f64::$std))
    };
}
#[cfg(libm)]
macro_rules! row {
    ($name:ident $form:ident $std:ident $wide:ident $narrow:ident) => {
        (stringify!($name), $form(libm::$narrow), $form(libm::$wide))
    };
}

const TABLE: &[Row] = &[
    row!(exp One exp exp expf),
    row!(exp2 One exp2 exp2 exp2f),
    row!(expm1 One exp_m1 expm1 expm1f),
    row!(log One ln log logf),
    row!(log2 One log2 log2 log2f),
    row!(log10 One log10 log10 log10f),
    row!(log1p One ln_1p log1p log1pf),
    row!(sin One sin sin sinf),
    row!(cos One cos cos cosf),
    row!(tan One tan tan tanf),
    row!(asin One asin asin asinf),
    row!(acos One acos acos acosf),
    row!(atan One atan atan atanf),
    row!(sinh One sinh sinh sinhf),
    row!(cosh One cosh cosh coshf),
    row!(tanh One tanh tanh tanhf),
    row!(asinh One asinh asinh asinhf),
    row!(acosh One acosh acosh acoshf),
    row!(atanh One atanh atanh atanhf),
    row!(sqrt One sqrt sqrt sqrtf),
    row!(cbrt One cbrt cbrt cbrtf),
    row!(trunc One trunc trunc truncf),
    row!(ceil One ceil ceil ceilf),
    row!(floor One floor floor floorf),
    row!(round One round round roundf),
    row!(pow Two powf pow powf),
    row!(atan2 Two atan2 atan2 atan2f),
    row!(hypot Two hypot hypot hypotf),
    row!(fma Three mul_add fma fmaf),
];

/// What libm has and std has not.
#[cfg(libm)]
const MORE: &[Row] = &[
    row!(exp10 One exp exp10 exp10f),
    row!(erf One exp erf erff),
    row!(erfc One exp erfc erfcf),
    row!(tgamma One exp tgamma tgammaf),
    row!(lgamma One exp lgamma lgammaf),
    row!(j0 One exp j0 j0f),
    row!(j1 One exp j1 j1f),
    row!(y0 One exp y0 y0f),
    row!(y1 One exp y1 y1f),
];
#[cfg(not(libm))]
const MORE: &[Row] = &[];

/// Functions in fp32 alone.
#[cfg(detmath)]
const PORT: &[(&str, fn(f32) -> f32)] = &[
    ("exp", detmath::exp),
    ("log", detmath::log),
    ("sin", detmath::sin),
    ("tanh", detmath::tanh),
    ("sigmoid", detmath::sigmoid),
    ("gelu", detmath::gelu),
];
#[cfg(not(detmath))]
const PORT: &[(&str, fn(f32) -> f32)] = &[];

/// Functions in fp64 alone.
#[cfg(detmath_f64)]
fn port_f64(name: &str) -> Option<Function<f64>> {
    let one = detmath_f64::UNARY.iter().find(|row| row.0 == name).map(|row| One(row.1));
    one.or(detmath_f64::BINARY.iter().find(|row| row.0 == name).map(|row| Two(row.1)))
}
#[cfg(not(detmath_f64))]
fn port_f64(_: &str) -> Option<Function<f64>> {
    None
}

fn take(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    if std::io::stdin().lock().read_exact(&mut bytes).is_err() {
        std::process::exit(0); // detcheck has seen enough
    }
    bytes
}

fn give(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes).and_then(|_| out.flush()).is_err() {
        std::process::exit(1);
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn name(header: &[u8]) -> String {
    header[..32].iter().take_while(|byte| **byte != 0).map(|byte| *byte as char).collect()
}

/// Numbers and their codes.
trait Code: Copy {
    const BYTES: usize;
    fn from_code(code: u64) -> Self;
    fn code(self) -> u64;
}

impl Code for f32 {
    const BYTES: usize = 4;
    fn from_code(code: u64) -> f32 {
        f32::from_bits(code as u32)
    }
    fn code(self) -> u64 {
        self.to_bits().into()
    }
}

impl Code for f64 {
    const BYTES: usize = 8;
    fn from_code(code: u64) -> f64 {
        f64::from_bits(code)
    }
    fn code(self) -> u64 {
        self.to_bits()
    }
}

/// Says that the function is there and answers one request after the other.
fn serve<T: Code>(function: Function<T>) {
    let (size, operands) = (T::BYTES, function.operands() as usize);
    loop {
        let head = take(16);
        let (kind, count, first) = (number(&head[..4]), number(&head[4..8]) as usize, number(&head[8..]));
        let codes = take(if kind == 1 { 0 } else { operands * count * size });
        let mut answer = b"answ".to_vec();
        answer.extend(&head[4..8]);
        for i in 0..count {
            let x: [T; 3] = std::array::from_fn(|k| {
                let at = (k * count + i) * size;
                T::from_code(match kind {
                    1 => first + i as u64,
                    _ if k < operands => number(&codes[at..at + size]),
                    _ => 0,
                })
            });
            answer.extend(&function.call(&x).code().to_le_bytes()[..size]);
        }
        answer.extend(b"done");
        give(&answer);
    }
}

fn main() {
    if take(8) != b"detcheck" {
        eprintln!("this program is for 'detcheck sweep ... --impl exec:COMMAND'");
        std::process::exit(1);
    }
    let header = take(152);
    let (operation, format, result) = (name(&header[24..]), name(&header[56..]), name(&header[88..]));
    let (operands, rounding) = (number(&header[4..8]) as u32, name(&header[120..]));
    let is_array = take(number(&header[20..24]) as usize).starts_with(b"arrays=");
    let known = !is_array && result == format && rounding == "nearest-even" && ["fp32", "fp64"].contains(&&*format);
    let row = TABLE.iter().chain(MORE).find(|row| known && row.0 == operation && row.1.operands() == operands);
    let port = PORT.iter().find(|row| known && row.0 == operation && format == "fp32");
    let called = std::env::args().nth(1).unwrap_or_default() + &operation;
    let wide = port_f64(&called).filter(|row| known && row.operands() == operands && format == "fp64");
    let row = row.filter(|_| cfg!(not(any(detmath, detmath_f64))));
    let has_port = port.is_some() || wide.is_some();
    let text = match row {
        _ if has_port => format!("detmath in Rust, {}", std::env::consts::ARCH),
        Some(_) => format!("{SOURCE}, {}", std::env::consts::ARCH),
        _ => format!("rust_adapter has no {operation} in {format}, {rounding}"),
    };
    let mut reply = b"detreply".to_vec();
    reply.extend(u32::from(row.is_none() && !has_port).to_le_bytes());
    reply.extend((text.len() as u32).to_le_bytes());
    reply.extend(text.bytes());
    give(&reply);
    if let Some((_, function)) = port {
        serve(One(*function));
    }
    if let Some(function) = wide {
        serve(function);
    }
    match row {
        Some((_, narrow, _)) if format == "fp32" => serve(*narrow),
        Some((_, _, wide)) => serve(*wide),
        None => (),
    }
}
