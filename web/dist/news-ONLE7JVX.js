import{a,b,c}from"./chunk-TSUGRW6R.js";import"./chunk-57WFRSBU.js";c();export{b as default,a as tabs};
