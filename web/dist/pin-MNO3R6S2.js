import{a,b,c}from"./chunk-OH45LNUC.js";import"./chunk-WTA7P345.js";c();export{a as SetPIN,b as default};
