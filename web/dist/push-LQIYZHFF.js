import{a,b,c}from"./chunk-VMGLHC3M.js";import"./chunk-WTA7P345.js";c();export{b as Push,a as renewPush};
