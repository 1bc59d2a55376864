//! The native methods, and calls into the JVM: every unsafe line of the plugin.
//!
//! Classes of the plugin are never looked up by name: a thread of ours sees the system's class loader, and whatever holds a class
//! in a static would keep the plugin's loader. Methods are found through the object that the JVM side hands over, once,
//! on its thread.
#![expect(unsafe_code, reason = "the boundary to the JVM")]

use std::any::Any;
use std::ffi::{CString, c_char, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use jni::errors::{Error, ErrorPolicy};
use jni::objects::{JByteArray, JClass, JMethodID, JObject, JString};
use jni::refs::Global;
use jni::signature::{Primitive, ReturnType};
use jni::sys::{JNI_OK, JNI_VERSION_1_8, JavaVMAttachArgs, jlong, jvalue};
use jni::{Env, EnvUnowned, JavaVM, jni_sig, jni_str};

use crate::host::{Host, HostError};
use crate::plugin;

#[unsafe(no_mangle)]
extern "system" fn Java_dev_ideindex_plugin_spi_Native_version<'local>(
    mut env: EnvUnowned<'local>,
    _: JClass<'local>,
) -> JString<'local> {
    env.with_env(|env| Ok::<_, Failure>(env.new_string(env!("CARGO_PKG_VERSION"))?)).resolve::<Thrown>()
}

#[unsafe(no_mangle)]
extern "system" fn Java_dev_ideindex_plugin_spi_Native_start<'local>(
    mut env: EnvUnowned<'local>,
    _: JClass<'local>,
    host: JObject<'local>,
    config: JByteArray<'local>,
) -> jlong {
    env.with_env(|env| {
        let config = env.convert_byte_array(&config)?;
        let host = JavaHost::of(env, &host)?;
        plugin::start(Arc::new(host), &config).map_err(Failure::Told)
    })
    .resolve::<Thrown>()
}

#[unsafe(no_mangle)]
extern "system" fn Java_dev_ideindex_plugin_spi_Native_request<'local>(
    mut env: EnvUnowned<'local>,
    _: JClass<'local>,
    handle: jlong,
    request: JByteArray<'local>,
) -> JByteArray<'local> {
    env.with_env(|env| {
        let request = env.convert_byte_array(&request)?;
        let answer = plugin::request(handle, &request).map_err(Failure::Told)?;
        Ok::<_, Failure>(env.byte_array_from_slice(&answer)?)
    })
    .resolve::<Thrown>()
}

#[unsafe(no_mangle)]
extern "system" fn Java_dev_ideindex_plugin_spi_Native_notifyEvent<'local>(
    mut env: EnvUnowned<'local>,
    _: JClass<'local>,
    handle: jlong,
    event: JByteArray<'local>,
) {
    env.with_env(|env| {
        let event = env.convert_byte_array(&event)?;
        plugin::notify(handle, &event).map_err(Failure::Told)
    })
    .resolve::<Thrown>()
}

#[unsafe(no_mangle)]
extern "system" fn Java_dev_ideindex_plugin_spi_Native_stop<'local>(
    mut env: EnvUnowned<'local>,
    _: JClass<'local>,
    handle: jlong,
    deadline_millis: jlong,
) {
    env.with_env(|_| {
        let deadline = Duration::from_millis(u64::try_from(deadline_millis).unwrap_or(0));
        plugin::stop(handle, deadline).map_err(Failure::Told)
    })
    .resolve::<Thrown>()
}

/// Why a native method throws.
enum Failure {
    Jni(Error),
    Told(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Jni(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jni(error) => error.fmt(f),
            Self::Told(why) => f.write_str(why),
        }
    }
}

/// Errors and panics become a `RuntimeException` with their text.
struct Thrown;

impl Thrown {
    fn throw(env: &mut Env<'_>, message: &str) {
        if !env.exception_check() {
            // it says by an error that an exception is on its way
            drop(env.throw(message));
        }
    }
}

impl<T: Default> ErrorPolicy<T, Failure> for Thrown {
    type Captures<'local: 'method, 'method> = ();

    fn on_error<'local: 'method, 'method>(
        env: &mut Env<'local>,
        (): &mut Self::Captures<'local, 'method>,
        failure: Failure,
    ) -> Result<T, Error> {
        Self::throw(env, &failure.to_string());
        Ok(T::default())
    }

    fn on_panic<'local: 'method, 'method>(
        env: &mut Env<'local>,
        (): &mut Self::Captures<'local, 'method>,
        panic: Box<dyn Any + Send>,
    ) -> Result<T, Error> {
        let text = panic.downcast_ref::<&str>().copied();
        let text =
            text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        Self::throw(env, &format!("native panic: {text}"));
        Ok(T::default())
    }
}

/// The object of the JVM side. It keeps the class loader of the plugin until it is dropped.
struct JavaHost {
    vm: JavaVM,
    object: Global<JObject<'static>>,
    call: JMethodID,
    cancel: JMethodID,
}

impl JavaHost {
    fn of(env: &mut Env<'_>, host: &JObject<'_>) -> Result<Self, Failure> {
        if host.is_null() {
            return Err(Failure::Told("there is no host".to_owned()));
        }
        let class = env.get_object_class(host)?;
        let call = env.get_method_id(&class, jni_str!("call"), jni_sig!("(JLjava/lang/String;[B)[B"))?;
        let cancel = env.get_method_id(&class, jni_str!("cancel"), jni_sig!("(J)V"))?;
        Ok(Self { vm: env.get_java_vm()?, object: env.new_global_ref(host)?, call, cancel })
    }

    fn called(
        &self,
        env: &mut Env<'_>,
        id: i64,
        op: &str,
        arguments: &[u8],
    ) -> Result<Result<Vec<u8>, HostError>, Error> {
        let op = env.new_string(op)?;
        let arguments = env.byte_array_from_slice(arguments)?;
        let given = [jvalue { j: id }, jvalue { l: op.as_raw() }, jvalue { l: arguments.as_raw() }];
        // SAFETY: the method was found on the class of the object with these parameters, and `given` has their types; the
        // references in it live until the frame of this call is popped.
        let answer = unsafe { env.call_method_unchecked(&self.object, self.call, ReturnType::Array, &given) };
        let answer = match answer {
            Err(Error::JavaException) => return Ok(Err(caught(env)?)),
            answer => answer?.l()?,
        };
        if answer.is_null() {
            return Ok(Err(HostError::internal("the IDE gave no answer")));
        }
        // SAFETY: the signature of the method says that it is an array of bytes.
        let answer = unsafe { JByteArray::from_raw(env, answer.into_raw()) };
        Ok(Ok(env.convert_byte_array(&answer)?))
    }
}

impl Host for JavaHost {
    fn attached(&self, name: &str, work: &mut dyn FnMut()) {
        let vm = self.vm.get_raw();
        let name = CString::new(name).unwrap_or_default();
        let mut arguments = JavaVMAttachArgs {
            version: JNI_VERSION_1_8,
            name: name.as_ptr().cast::<c_char>().cast_mut(),
            group: ptr::null_mut(),
        };
        let mut env: *mut c_void = ptr::null_mut();
        // A daemon, so that the JVM can end while it is attached; the library attaches only others.
        // SAFETY: the JVM lives as long as our library is loaded; the arguments live until the call returns.
        let attached = unsafe {
            ((**vm).v1_4.AttachCurrentThreadAsDaemon)(vm, &raw mut env, (&raw mut arguments).cast::<c_void>())
        };
        if attached != JNI_OK {
            ide_server::log(&format!("a thread cannot be attached to the JVM: {attached}"));
            return;
        }
        let _detach = Detach(self.vm.clone());
        work();
    }

    fn call(&self, id: i64, op: &str, arguments: &[u8]) -> Result<Vec<u8>, HostError> {
        let called = self.vm.attach_current_thread(|env| self.called(env, id, op, arguments));
        called.unwrap_or_else(|error| Err(HostError::internal(error.to_string())))
    }

    fn cancel(&self, id: i64) {
        let cancelled = self.vm.attach_current_thread(|env| {
            // SAFETY: the method was found on the class of the object with this parameter.
            let done = unsafe {
                env.call_method_unchecked(
                    &self.object,
                    self.cancel,
                    ReturnType::Primitive(Primitive::Void),
                    &[jvalue { j: id }],
                )
            };
            if let Err(Error::JavaException) = done {
                caught(env)?;
            }
            Ok::<_, Error>(())
        });
        if let Err(error) = cancelled {
            ide_server::log(&format!("a call to the IDE cannot be cancelled: {error}"));
        }
    }
}

/// Detaches a thread when its work is done.
struct Detach(JavaVM);

impl Drop for Detach {
    fn drop(&mut self) {
        let vm = self.0.get_raw();
        // SAFETY: this thread was attached by us, and nothing of Java is on its stack.
        unsafe { ((**vm).v1_1.DetachCurrentThread)(vm) };
    }
}

/// The exception that is on its way, which ends here.
fn caught(env: &mut Env<'_>) -> Result<HostError, Error> {
    let Some(thrown) = env.exception_occurred() else {
        return Ok(HostError::internal("an exception that is gone"));
    };
    env.exception_clear();
    let class = env.get_object_class(&thrown)?;
    let name = text(env, &class, ErrorText::Name)?.unwrap_or_default();
    let message = text(env, &thrown, ErrorText::Message).unwrap_or(None).unwrap_or_default();
    let simple = name.rsplit(['.', '$']).next().unwrap_or_default();
    if simple == "HostException"
        && let Some(code) = text(env, &thrown, ErrorText::Code)?
    {
        return Ok(HostError { code, message });
    }
    if simple.ends_with("ProcessCanceledException") || simple == "CancellationException" {
        return Ok(HostError { code: "cancelled".to_owned(), message });
    }
    let message = if message.is_empty() { name } else { format!("{name}: {message}") };
    Ok(HostError::internal(message))
}

enum ErrorText {
    Name,
    Message,
    Code,
}

/// The text that a method without parameters returns; `None` for null.
fn text(env: &mut Env<'_>, of: &JObject<'_>, asked: ErrorText) -> Result<Option<String>, Error> {
    let (name, signature) = match asked {
        ErrorText::Name => (jni_str!("getName"), jni_sig!("()Ljava/lang/String;")),
        ErrorText::Message => (jni_str!("getMessage"), jni_sig!("()Ljava/lang/String;")),
        ErrorText::Code => (jni_str!("code"), jni_sig!("()Ljava/lang/String;")),
    };
    let said = env.call_method(of, name, signature, &[]);
    if let Err(Error::JavaException) = said {
        env.exception_clear();
        return Ok(None);
    }
    let said = said?.l()?;
    if said.is_null() {
        return Ok(None);
    }
    // SAFETY: the signature says that it is a string.
    let said = unsafe { JString::from_raw(env, said.into_raw()) };
    said.try_to_string(env).map(Some)
}

/// Directives for the linker of Windows: zig drops the list of exports that rustc hands to it.
#[cfg(all(windows, target_env = "gnu"))]
#[used]
#[unsafe(link_section = ".drectve")]
static EXPORTS: [u8; 259] = *b"\
    \x20-export:Java_dev_ideindex_plugin_spi_Native_notifyEvent\
    \x20-export:Java_dev_ideindex_plugin_spi_Native_request\
    \x20-export:Java_dev_ideindex_plugin_spi_Native_start\
    \x20-export:Java_dev_ideindex_plugin_spi_Native_stop\
    \x20-export:Java_dev_ideindex_plugin_spi_Native_version";
