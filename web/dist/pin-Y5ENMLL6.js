import{a,b,c}from"./chunk-GL2IDRP7.js";import"./chunk-EVZR4T6Z.js";c();export{a as SetPIN,b as default};
