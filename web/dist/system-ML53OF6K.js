import{a,b,c}from"./chunk-BZD7BQP3.js";import"./chunk-MNYDJEFK.js";import"./chunk-LZA7HITR.js";c();export{a as default,b as engine};
