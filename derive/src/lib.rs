//! `#[derive(Facts)]`: a host's struct of observations as facts of an occurrence.
//!
//! The trait and its documentation are `oar_engine::observe::Facts`; this crate only writes its
//! implementation. The names and types are held against the capability document once, by
//! `oar_engine::observe::Binding`.
#![forbid(unsafe_code)]

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, LitStr, parse_macro_input};

/// Implements `oar_engine::observe::Facts`.
///
/// A field stands for the fact of its own name, behind the prefix of `#[facts(prefix = "acme")]`
/// if there is one; `#[fact("session_posture")]` gives the whole name, `#[fact(skip)]` leaves the
/// field out.
#[proc_macro_derive(Facts, attributes(fact, facts))]
pub fn facts(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn expand(input: &DeriveInput) -> Result<TokenStream, Error> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "facts are the fields of a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(input.ident.span(), "facts are fields with names"));
    };
    let prefix = prefix(&input.attrs)?;
    let (mut declared, mut supplied) = (Vec::new(), Vec::new());
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let own = match of_field(&field.attrs)? {
            Own::Skip => continue,
            Own::Name(name) => name,
            Own::Default => {
                let own = ident.to_string();
                let own = own.strip_prefix("r#").unwrap_or(&own);
                prefix.as_ref().map_or_else(|| own.to_owned(), |prefix| format!("{prefix}.{own}"))
            }
        };
        let ty = &field.ty;
        let position = declared.len();
        // At the type of the field, so that one that is no fact is underlined there.
        declared.push(quote::quote_spanned! {ty.span()=>
            ::oar_engine::observe::FactField {
                name: #own,
                ty: <#ty as ::oar_engine::observe::FactType>::TYPE,
            }
        });
        supplied.push(quote! {
            if let ::core::option::Option::Some(value) =
                ::oar_engine::observe::FactType::lend(&self.#ident)
            {
                supply(#position, value)?;
            }
        });
    }
    let ident = &input.ident;
    let (generics, arguments, clause) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::oar_engine::observe::Facts for #ident #arguments #clause {
            const FIELDS: &'static [::oar_engine::observe::FactField] = &[#(#declared),*];

            fn supply<'own>(
                &'own self,
                supply: &mut dyn ::core::ops::FnMut(
                    usize,
                    ::oar_engine::observe::Supplied<'own>,
                ) -> ::core::result::Result<(), ::oar_engine::observe::SupplyError>,
            ) -> ::core::result::Result<(), ::oar_engine::observe::SupplyError> {
                #(#supplied)*
                ::core::result::Result::Ok(())
            }
        }
    })
}

fn prefix(attributes: &[Attribute]) -> Result<Option<String>, Error> {
    let mut prefix = None;
    for attribute in attributes.iter().filter(|own| own.path().is_ident("facts")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("prefix") {
                return Err(meta.error("accepted: `prefix = \"…\"`"));
            }
            prefix = Some(meta.value()?.parse::<LitStr>()?.value());
            Ok(())
        })?;
    }
    Ok(prefix)
}

/// What the attribute of a field says.
enum Own {
    Default,
    Name(String),
    Skip,
}

fn of_field(attributes: &[Attribute]) -> Result<Own, Error> {
    let mut own = Own::Default;
    for attribute in attributes.iter().filter(|own| own.path().is_ident("fact")) {
        own = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            if input.peek(LitStr) {
                return Ok(Own::Name(input.parse::<LitStr>()?.value()));
            }
            let word: syn::Ident = input.parse()?;
            if word == "skip" {
                return Ok(Own::Skip);
            }
            Err(Error::new(word.span(), "accepted: the name of a fact in quotes, or `skip`"))
        })?;
    }
    Ok(own)
}
