import{a,b,c}from"./chunk-XCUKUBFK.js";import"./chunk-N5A6VUJA.js";c();export{a as SetPIN,b as default};
